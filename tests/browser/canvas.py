"""What a page has painted."""

import torch


def alpha(canvas):
    """Return the opacity of a canvas' pixels, row by row: 255 is a weight of 1."""
    return torch.tensor(
        canvas.evaluate(
            """canvas => {
                const { data, width } = canvas.getContext("2d")
                    .getImageData(0, 0, canvas.width, canvas.height);
                const pixel = (row, column) => data[4 * (row * width + column) + 3];
                const all = (count) => [...Array(count).keys()];
                return all(canvas.height).map(row => all(width).map(c => pixel(row, c)));
            }"""
        )
    )
