"""The pages of a course: from their Markdown to what a learner gets."""
