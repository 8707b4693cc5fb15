"""Marian's binary file, written by hand."""

import struct

import torch

from transformer_lab.pretrained._marian import read_marian


def item(name, kind, shape, data):
    return name.encode() + b"\0", kind, shape, data.ljust(256, b"\0")


def test_weights_come_out_in_float32_with_a_row_for_each_output(tmp_path):
    table = struct.pack("<6bf", 1, 2, 3, 4, 5, 6, 2.0)
    items = [
        item("Wemb", 0x4101, (3, 2), table),
        item("layer_W", 0x4101, (3, 2), table),
        item("layer_b", 0x0404, (1, 2), struct.pack("<2f", 0.5, -0.5)),
        item("special:model.yml", 0x0101, (4,), b"a: 1"),
    ]
    heads = [struct.pack("<4Q", len(n), kind, len(s), len(data)) for n, kind, s, data in items]
    shapes = [struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items]
    head = [struct.pack("<QQ", 1, len(items)), *heads, *(n for n, _, _, _ in items), *shapes]
    gap = struct.pack("<Q", 24) + bytes(24)
    file = tmp_path / "model.bin"
    file.write_bytes(b"".join([*head, gap, *(data for _, _, _, data in items)]))
    weights = read_marian(file)
    assert weights.keys() == {"Wemb", "layer_W", "layer_b"}
    torch.testing.assert_close(weights["Wemb"], torch.tensor([[1, 2], [3, 4], [5, 6]]) / 2)
    torch.testing.assert_close(weights["layer_W"], torch.tensor([[1, 2, 3], [4, 5, 6]]) / 2)
    torch.testing.assert_close(weights["layer_b"], torch.tensor([[0.5, -0.5]]))
