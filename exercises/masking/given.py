"""What the notebook on masking provides."""

import math


def small_model(table, sees):
    """Return a model of one head; sees(T) returns its mask (T, T).

    table (10, 3) holds a vector for each word.
    """

    def model(ids):
        x = table[ids]
        scores = x @ x.transpose(-2, -1)
        scores = scores.masked_fill(~sees(len(ids)), -math.inf)
        return scores.softmax(dim=-1) @ x

    return model
