"""From the sources to notebooks, and the command that gives them out and takes them back."""
