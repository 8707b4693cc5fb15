"""What the book's models learn: tasks with their data and measures."""
