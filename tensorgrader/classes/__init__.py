"""Many students at once: what they handed in, their grades, and the reports on them."""
