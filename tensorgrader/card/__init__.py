"""A card: what a learner is told after a check, as plain values, as text and as HTML.

It needs the standard library only, so that the page in a browser shows the same card.
"""
