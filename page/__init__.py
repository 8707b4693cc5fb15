"""What runs in the reader's browser. Nothing else knows of it, but what builds the book."""
