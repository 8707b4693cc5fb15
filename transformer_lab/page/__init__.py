"""What runs in the reader's browser. The rest of the package does not know of it."""
