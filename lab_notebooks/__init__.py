"""From the sources to notebooks, and the command that hands them out and grades them."""
