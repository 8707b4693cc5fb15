"""The appendix keeps its word: once the weights are arrays, PyTorch computes nothing."""

from tests.book.chapters import Chapter


def test_the_block_is_computed_without_torch():
    sources = [cell.source for cell in Chapter("numpy_encoder").code]
    first = next(i for i, source in enumerate(sources) if source.startswith("w = {"))
    assert len(sources[first:]) > 8
    assert not any("torch" in source or "F." in source for source in sources[first:])
    compared = "\n".join(sources[first:])
    for part in ("attention", "attention_residual", "feed_forward", ""):
        assert f'check("{part}", ' in compared
