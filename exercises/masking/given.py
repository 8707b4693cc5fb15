"""What the notebook on masking gives to work with."""

import math


def small_model(table, sees):
    """Make a model of one head; sees(T) is its mask (T, T).

    table (10, 3) has a vector for each word.
    """

    def model(ids):
        x = table[ids]
        scores = x @ x.transpose(-2, -1)
        scores = scores.masked_fill(~sees(len(ids)), -math.inf)
        return scores.softmax(dim=-1) @ x

    return model
