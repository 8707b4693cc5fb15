"""Marian's binary file of weights, as published by the Bergamot project."""

import math
import struct
from pathlib import Path

import torch
from torch import Tensor

INT8, FLOAT32 = 0x4101, 0x0404
DTYPES = {INT8: torch.int8, FLOAT32: torch.float32}  # the rest configures the training


def read_marian(file: Path) -> dict[str, Tensor]:
    """Return the weights of a model that was quantised to 8 bits, in float32."""
    return {name: values / factor for name, (values, factor) in read_quantised(file).items()}


def read_quantised(file: Path) -> dict[str, tuple[Tensor, float]]:
    """Return the weights as stored, and for each the factor it was multiplied by.

    The file is a header (its version, the number of items, and for each item the lengths of its
    name, shape and data, and its type), then all names, all shapes, and all data. An 8-bit matrix
    is stored with a row for each output, as in `nn.Linear`, whatever its shape says; after it comes
    the number that its weights were multiplied by.

    Source: github.com/browsermt/marian-dev, src/common/binary.cpp.
    """
    content = bytearray(file.read_bytes())
    _, count = struct.unpack_from("<QQ", content)
    items = list(struct.iter_unpack("<4Q", content[16 : 16 + 32 * count]))
    at = 16 + 32 * count
    names, shapes = [], []
    weights: dict[str, tuple[Tensor, float]] = {}
    for name_length, _, _, _ in items:
        names.append(content[at : at + name_length - 1].decode())
        at += name_length
    for _, _, axes, _ in items:
        shapes.append(struct.unpack_from(f"<{axes}i", content, at))
        at += 4 * axes
    at += 8 + struct.unpack_from("<Q", content, at)[0]  # the data are aligned
    for name, shape, (_, kind, _, length) in zip(names, shapes, items, strict=True):
        if kind in DTYPES:
            size = math.prod(shape)
            values = torch.frombuffer(content, dtype=DTYPES[kind], count=size, offset=at)
            factor = 1.0
            if kind == INT8:
                (factor,) = struct.unpack_from("<f", content, at + size)
                shape = shape if name == "Wemb" else shape[::-1]
            weights[name] = values.reshape(shape), factor
        at += length
    return weights
