"""A certificate: a page with a learner's answers, which anybody can judge again."""
