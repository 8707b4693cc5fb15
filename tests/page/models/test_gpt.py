"""The GPT of the page computes what PyTorch computes with the same weights, to 1e-5."""

import pytest
import torch

from tests.sweeps import few
from transformer_lab.pretrained.shakespeare import READS, load_shakespeare
from transformer_lab.tasks.shakespeare import HELD_OUT, plays
from transformer_lab.trace import ablate_heads, trace


@pytest.fixture(scope="module")
def gpt():
    return load_shakespeare()


def beginnings(count):
    """Return passages of the held-out plays, of 1 to 64 characters."""
    text = plays()[HELD_OUT[0]]
    return [text[500 * n : 500 * n + 1 + n % READS] for n in range(count)]


@pytest.mark.parametrize("count", few([READS, 200], READS))  # one of each length, or more
def test_all_logits_and_weights_of_prompts(ask, gpt, count):
    texts = beginnings(count)
    told = ask("gpt", texts=texts)
    for text, ours in zip(texts, told, strict=True):
        ids, _ = gpt.tokenizer.encode([text])
        with torch.no_grad(), trace(gpt.model, "decoder.layers.*.attention") as record:
            logits = gpt.model(ids)
        looks = torch.stack([*record.attention().values()])
        theirs = torch.tensor(ours["logits"]).view_as(logits)
        largest = logits.abs().max().item()  # by which rounding grows
        torch.testing.assert_close(theirs, logits, rtol=0, atol=1e-5 * largest)
        p, q = (each.softmax(-1) for each in (theirs, logits))
        torch.testing.assert_close(p, q, rtol=0, atol=1e-5)
        weights = torch.tensor(ours["weights"], dtype=torch.float32).flatten()
        torch.testing.assert_close(weights, looks.flatten(), rtol=0, atol=1e-5)


def test_a_silent_head(ask, gpt):
    (text,) = beginnings(64)[-1:]
    (ours,) = ask("gpt", texts=[text], how={"silent": [[1, 2]]})
    ids, _ = gpt.tokenizer.encode([text])
    with torch.no_grad():
        whole = gpt.model(ids).flatten()
        with ablate_heads(gpt.model.decoder.layers[1].attention, [2]):
            logits = gpt.model(ids).flatten()
    torch.testing.assert_close(torch.tensor(ours["logits"]), logits, rtol=1e-5, atol=1e-5)
    assert (logits - whole).abs().max() > 0.1
