"""What the book's models learn: tasks with their data, and how well they are solved."""
