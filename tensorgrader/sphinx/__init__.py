"""Tasks of a course on pages: editors, Run and cards, by what is packed for a browser."""
