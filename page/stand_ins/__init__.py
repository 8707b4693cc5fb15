"""Stand-ins in the browser for installed packages, each under its top-level name."""
