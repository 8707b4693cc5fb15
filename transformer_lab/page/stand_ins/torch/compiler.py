"""`torch.compiler`: nothing is compiled here."""


def is_compiling() -> bool:
    """Tell that nothing is being compiled."""
    return False
