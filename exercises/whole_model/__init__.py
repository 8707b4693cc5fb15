"""The exercises that build a whole GPT."""
