"""What the page's models compute is what torch computes from the same 8-bit weights.

Torch computes in double precision here: it rounds in single precision as much as the page does.
"""

import pytest
import torch

from book._ext import packed_models as packed
from tests.page.models.sentences import prose
from transformer_lab.generate import GivenSource, generate
from transformer_lab.pretrained import embed, load_minilm, load_translator
from transformer_lab.pretrained._model import dequantise
from transformer_lab.pretrained.bergamot import END
from transformer_lab.trace import trace

SAME = 1e-5
SENTENCES = [
    "The cat sat on the mat because it was tired.",
    "The cat eats fish.",
    "",
    "Größe, naïve, façade, Ελλάδα, 東京, 🙂",
    "Attention weights add up to one in every row, whatever the scores may be.",
]
MANY = pytest.param(200, marks=pytest.mark.slow)


def texts(count):
    others = prose()
    return (SENTENCES + others[:: len(others) // 200])[:count]


@pytest.fixture(scope="module")
def minilm():
    """Float32, and the same model with the weights that the page has."""
    rounded = load_minilm()
    weights = dequantise(packed.minilm_weights())
    weights[packed.PLACES] = torch.cat(
        [weights[packed.PLACES], rounded.model.embeddings.positions.table.weight[128:]]
    )
    rounded.model.load_state_dict(weights)
    rounded.model.double()
    return load_minilm(), rounded


@pytest.fixture(scope="module")
def translator():
    translator = load_translator("en-pt")
    translator.model.double()
    return translator


def test_a_product_in_8_bits_is_torchs_whatever_the_sizes(ask):
    """Four rows of W are taken at a time, and x in pieces where it is large."""
    dice = torch.Generator().manual_seed(0)
    sizes = [(T, N, K, G) for T in (1, 3) for N in (4, 5, 7) for K, G in ((8, 1), (48, 1), (48, 3))]
    products, expected = [], []
    for T, N, K, G in [*sizes, (9, 30_000, 8, 1)]:
        x, bias = torch.randn(T, K, generator=dice), torch.randn(N, generator=dice)
        values = torch.randint(-128, 128, (N, K), generator=dice)
        scales = torch.rand(N, G, generator=dice)
        right = x.double() @ (values * scales.repeat_interleave(K // G, dim=1)).double().mT
        expected += [right + bias, right]
        lists = {"x": x, "values": values, "scales": scales, "bias": bias}
        products.append({"shape": [N, K]} | {k: v.flatten().tolist() for k, v in lists.items()})
    found = [y for both in ask("linear", products=products) for y in both]
    for ours, right in zip(found, expected, strict=True):
        ours = torch.tensor(ours).double().view_as(right)
        torch.testing.assert_close(ours, right, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("N", "groups"), [(3, 1), (4, 2)])
def test_a_matrix_that_the_kernel_cannot_take_is_refused(ask, N, groups):
    lists = {"x": [0] * 8, "values": [0] * 8 * N, "scales": [1] * groups * N, "bias": [0] * N}
    (told,) = ask("linear", products=[{"shape": [N, 8], **lists}])
    assert "groups of 8, 16" in told


def read(minilm, text):
    ids, _ = minilm.tokenizer.encode([text])
    with trace(minilm.model, "encoder.layers.*.attention") as record, torch.no_grad():
        vectors = minilm.model.encode(ids)
    return vectors[0], torch.cat(list(record.attention().values()))


def write(translator, text):
    ids, _ = translator.tokenizer.encode([text])
    given = GivenSource(translator.model, ids)
    most = 5 * ids.size(-1) // 2
    written = generate(given, given.start, max_new_tokens=most, eos_id=END, pad_id=END)
    with trace(translator.model, "*coder.layers.*attention") as record, torch.no_grad():
        translator.model(ids, torch.cat([given.start, written[:, :-1]], dim=-1))
    by_name = {call.name: call.outputs[1] for call in record.calls if len(call.outputs) > 1}
    layers = range(6), range(2)
    reading = torch.cat([by_name[f"encoder.layers.{n}.attention"] for n in layers[0]])
    writing = torch.cat([by_name[f"decoder.layers.{n}.cross_attention"] for n in layers[1]])
    return written[0].tolist(), reading, writing


def compare_minilm(models, answers, given):
    for text, answer in zip(given, answers, strict=True):
        (_, rounded) = models
        vectors, weights = read(rounded, text)
        assert (torch.tensor(answer["vectors"]) - vectors.flatten()).abs().max() <= SAME
        ours = torch.tensor(answer["weights"]).reshape(weights.shape)
        assert (ours - weights).abs().max() <= SAME
        meaning = torch.tensor(answer["meaning"])
        assert (meaning - embed(rounded, [text])[0]).abs().max() <= SAME


def compare_translator(model, answers, given):
    for text, answer in zip(given, answers, strict=True):
        written, reading, writing = write(model, text)
        assert answer["written"] == written, text
        ours = torch.tensor(answer["weights"]).reshape(reading.shape)
        assert (ours - reading).abs().max() <= SAME
        looks = torch.tensor(answer["looks"]).reshape(-1, 2, 8, writing.size(-1))
        assert (looks.permute(1, 2, 0, 3) - writing).abs().max() <= SAME


@pytest.mark.parametrize("count", [len(SENTENCES), MANY])
def test_minilm_is_torchs_on_the_same_weights(ask, minilm, count):
    given = texts(count)
    compare_minilm(minilm, ask("minilm", texts=given), given)


@pytest.mark.parametrize("count", [len(SENTENCES), MANY])
def test_the_translator_is_torchs(ask, translator, count):
    given = texts(count)
    compare_translator(translator, ask("translator", texts=given), given)
