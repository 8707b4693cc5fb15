"""The appendix keeps its word: once the weights are arrays, PyTorch computes nothing."""

import ast

from tests.book.chapters import Chapter


def test_the_block_is_computed_without_torch():
    sources = [cell.source for cell in Chapter("numpy_encoder").code]
    first = next(i for i, source in enumerate(sources) if source.startswith("w = {"))
    assert len(sources[first:]) > 8
    assert not any("torch" in source or "F." in source for source in sources[first:])
    compared = "\n".join(sources[first:])
    for part in ("attention", "attention_residual", "feed_forward", ""):
        assert f'check("{part}", ' in compared


def test_it_is_about_as_many_lines_as_promised():
    names = ["linear", "softmax", "attention", "layer_norm", "feed_forward", "encoder_block"]
    lines = sum(
        len([line for line in ast.unparse(part).splitlines() if line])
        for cell in Chapter("numpy_encoder").code
        for part in ast.parse(cell.source).body
        if isinstance(part, ast.FunctionDef) and part.name in names
    )
    assert "About thirty lines" in Chapter("numpy_encoder").prose
    assert 24 <= lines <= 34
