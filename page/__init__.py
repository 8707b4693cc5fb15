"""What runs in the reader's browser. Only the build of the book imports it."""
