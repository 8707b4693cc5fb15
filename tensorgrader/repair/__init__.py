"""The place of a mistake: the smallest edit that makes a learner's own function right."""
