"""What several exercises on several heads have in common."""

GENERAL = "It takes any axes before the last two (none, batch, more), and keeps the dtype."
