"""The exercises on multi head."""
