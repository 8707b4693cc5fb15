"""What stands in the browser for installed packages, each under its name at the top level."""
