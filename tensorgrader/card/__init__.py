"""A card: the feedback after a check, as plain values, as text and as HTML.

It needs only the standard library, so that the page in a browser shows the same card.
"""
