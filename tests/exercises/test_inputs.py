"""Inputs leave no way around: an answer that fits some of them only loses points on others."""

import pytest
import torch

from tensorgrader.exercise import Draw
from tensorgrader.trial import apply_here
from tests.course import CHAPTERS, PROPERTIES, judge, part
from tests.sweeps import few, one_in
from tests.tensorgrader.asking import tried

beam_search = part("full_model.beam").beam_search
embed_new = part("full_model.mend_places").embed_new
masked_softmax = part("masking.softmax").masked_softmax
layer_norm = part("norm.layer").layer_norm
multi_head = part("multi_head.attention").multi_head
head_losses = part("full_model.heads").head_losses
talk = part("multi_head.mend_layout").talk
angles = part("positional_encoding.angles").angles
loop_table = part("positional_encoding.mend_table").loop_table
sinusoidal = part("positional_encoding.sinusoidal").sinusoidal

EXERCISES = {e.id: e for chapter in CHAPTERS.values() for e in chapter.exercises}
TRIANGLE = torch.ones(512, 512, dtype=torch.bool).tril()


def each_text_pruned_by_itself(table, start, beams, steps):
    chances = table.log_softmax(dim=-1)
    texts = [(0.0, [start])]
    for _ in range(steps):
        texts = [
            (score + chances[text[-1], token].item(), [*text, token])
            for score, text in texts
            for token in chances[text[-1]].topk(beams).indices.tolist()
        ]
    score, text = max(texts)
    return text[1:], score


def no_mask_without_a_batch(x, W, W_o, heads, mask=None):
    return multi_head(x, W, W_o, heads, mask if x.dim() > 2 else None)


def shares(scores):
    """Take a softmax that overflows."""
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)


def overflowing_head(x, source, W_q, W_k, W_v):
    weights = shares((x @ W_q) @ (source @ W_k).mT / W_q.size(-1) ** 0.5)
    return weights @ (source @ W_v), weights


def overflowing_weights(x, W_q, W_k):
    return shares((x @ W_q) @ (x @ W_k).mT / W_q.size(-1) ** 0.5)


def groups_by_the_second_axis(q, k, v):
    group = q.size(-3) // k.size(1)
    k, v = (part.repeat_interleave(group, dim=-3) for part in (k, v))
    weights = (q @ k.mT / q.size(-1) ** 0.5).softmax(dim=-1)
    return weights @ v, weights


def same_mask_for_all(scores, mask):
    while mask.dim() > 2:
        mask = mask[0]
    return masked_softmax(scores, mask)


def squeezed(name):
    """Be right, but lose the axes of length 1."""

    def function(*args):
        result = EXERCISES[name].reference(*args)
        if isinstance(result, tuple):
            return tuple(part.squeeze() for part in result)
        return result.squeeze()

    return name, function


SQUEEZED = (
    "attention-scores attention-attention attention-softmax attention-head "
    "masking-mend-causal masking-combined masking-window multi_head-split multi_head-merge "
    "multi_head-packed multi_head-attention positional_encoding-alibi "
    "full_model-decoder-layer"
)
NARROW = {f"{name} without its axes of length 1": squeezed(name) for name in SQUEEZED.split()} | {
    "head that overflows": ("attention-head", overflowing_head),
    "head's weights that overflow": ("attention-mend-width", overflowing_weights),
    "beams that overflow": (
        "full_model-beam",
        lambda table, *rest: beam_search(shares(table).log(), *rest),
    ),
    "one mask for all": ("masking-softmax", same_mask_for_all),
    "groups by the second axis": ("multi_head-grouped", groups_by_the_second_axis),
    "never one head": (
        "multi_head-mend-layout",
        lambda x, heads: talk(x, max(heads, 2)),
    ),
    "never the loss of one head": (
        "full_model-heads",
        lambda gpt, *rest: (
            head_losses(gpt, *rest)
            if gpt.encoder.layers[0].attention.heads > 1
            else torch.zeros(len(gpt.encoder.layers), 1)
        ),
    ),
    "never one vector": (
        "norm-layer",
        lambda x, gamma, *rest: layer_norm(x, gamma.unsqueeze(-2), *rest),
    ),
    "buffer of 512": ("masking-causal", lambda n, m=0: TRIANGLE[m : m + n, : m + n]),
    "window in a buffer of 512": ("masking-window", lambda n, w: TRIANGLE.triu(1 - w)[:n, :n]),
    "5000 rows": (
        "positional_encoding-sinusoidal",
        lambda t, *n: sinusoidal(torch.arange(5000), *n)[t.clamp(max=4999)],
    ),
    "5000 rows in loops": (
        "positional_encoding-mend-table",
        lambda n, d: loop_table(min(n, 5000), d),
    ),
    "past is never 0": (
        "full_model-mend-places",
        lambda ids, past, *tables: embed_new(ids, past or 1, *tables),
    ),
    "always two beams": ("full_model-beam", lambda t, start, beams, n: beam_search(t, start, 2, n)),
    "always from 0": ("full_model-beam", lambda t, start, beams, n: beam_search(t, 0, beams, n)),
    "each text pruned by itself": ("full_model-beam", each_text_pruned_by_itself),
    "no mask without a batch": ("multi_head-attention", no_mask_without_a_batch),
    "ten angles": ("positional_encoding-angles", lambda t, *n: angles(torch.arange(10), *n)[t]),
    "ten rows": (
        "positional_encoding-sinusoidal",
        lambda t, *n: sinusoidal(torch.arange(10), *n)[t],
    ),
}


#: What may be said of a few, since it is true.
ALSO = {
    f"{name} without its axes of length 1": "an axis of length 1 is missing, or there is "
    "one too many"
    for name in SQUEEZED.split()
} | {
    "head that overflows": "the exponential overflows",
    "head's weights that overflow": "the exponential overflows",
    "top p that overflows": "the exponential overflows",
    "beams that overflow": "the exponential overflows",
    "numbers of one digit": "layers with a number of two digits keep BERT's name",
    "always from 0": "`start` is not used",
    "one mask for all": "the first `mask` is used for all",
}


@pytest.mark.parametrize("narrow", NARROW)
@pytest.mark.parametrize("seeds", few([2, 5], 2))
def test_what_fits_some_inputs_only_loses_points_and_gets_no_other_name(narrow, seeds):
    name, function = NARROW[narrow]
    for seed in range(seeds):
        trial = tried(EXERCISES[name], lambda inputs: apply_here(function, inputs), seed)
        wrong = [r for r in judge(trial, trial.exercise.properties) if r.finding]
        assert wrong
        assert {m.name for result in wrong for m in result.mistakes} <= {ALSO.get(narrow)}


@pytest.mark.parametrize(
    "exercise",
    one_in(6, [e for e in EXERCISES.values() if not e.seconds], tier="score")
    + few([e for e in EXERCISES.values() if e.seconds]),
    ids=lambda exercise: exercise.id,
)
@pytest.mark.parametrize("lessons", few([4, 20], 4, tier="score"))
def test_answers_learned_by_heart_lose_points(exercise, lessons):
    known = {}
    for seed in range(2 if exercise.seconds else lessons):  # who trains draws for seconds
        seen = tried(exercise, lambda inputs: apply_here(exercise.reference, inputs), seed)
        known |= {str(case.inputs[:2]): case.expected for case in seen.all_cases()}

    def recall(*args, mask=None):
        return known.get(str((args, mask)))

    again = tried(exercise, lambda inputs: apply_here(recall, inputs), seed=20)
    assert all(result.finding for result in judge(again, exercise.properties))


def test_no_place_among_the_rates_is_always_that_of_the_largest_that_learns():
    exercise, prop = PROPERTIES["norm-rate-values"]
    places = set()
    for inputs in prop.inputs(Draw(2, prop.id)):
        largest = apply_here(exercise.reference, inputs).value
        places.add(sorted(inputs.args[1], reverse=True).index(largest))
    assert len(places) > 1


@pytest.mark.parametrize("name", ["statistics", "layer", "rms", "post", "swiglu"])
def test_a_norm_that_gives_float32_for_half_precision_loses_points(name):
    exercise, prop = PROPERTIES[f"norm-{name}-general"]

    def promoted(*args):
        result = exercise.reference(*args)
        one = torch.ones(1)
        return result * one if torch.is_tensor(result) else tuple(part * one for part in result)

    trial = tried(exercise, lambda inputs: apply_here(promoted, inputs))
    assert "float32, expected float16" in judge(trial, [prop])[0].finding.words
