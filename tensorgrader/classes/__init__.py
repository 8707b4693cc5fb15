"""Many students at once: their submissions, their grades, and the reports on them."""
