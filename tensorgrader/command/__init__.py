"""The command `grade`: a learner's notebooks on the terminal, or a class into a report."""
