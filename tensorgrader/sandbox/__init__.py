"""Where a learner's code runs: confined workers, and the trusted end of the pipes to them."""
