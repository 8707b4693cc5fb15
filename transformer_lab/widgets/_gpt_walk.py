"""The walk through the GPT of gpt.py: what each of its lines computes for a text."""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_lab.positional_encoding import RotaryPositions
from transformer_lab.trace import Line, Record, trace
from transformer_lab.widgets._learner import Trouble
from transformer_lab.widgets._real import ATTENTION, Silent, changed, real_model, unknown
from transformer_lab.widgets.gpt_ladder import recorded

READS = 24  # the most characters that are read: a picture has no room for more
FEATURES = 16  # the features of each vector that are shown
LIKELIEST = 16  # the characters that may come next of which scores are shown
NORM = (
    "norm", "mean_square =",
    "Divide each vector by the root of its mean square; multiply by learned weights.",
)  # fmt: skip
GATED = "return self.down("
#: Of each operation: its title, how the line of gpt.py begins that computes it, and what it does.
DOES: dict[str, tuple[str, str, str]] = {
    "ids": ("ids", "ids = torch.t", "Replace each character by its number in the vocabulary."),
    "tokens": ("vectors", "x = self.blocks(", "Look up the vector of each id in a table."),
    "attention_norm": NORM,
    "attention.query": ("query", "q = rotate(",
        "Multiply each vector by a matrix: its query says what the character looks for."),
    "attention.query.rotated": ("rotate q", "turned = a * cos",
        "In each query, rotate each pair of features, further at each position."),
    "attention.key": ("key", "k = rotate(",
        "Multiply each vector by a matrix: its key says what the character can be found by."),
    "attention.key.rotated": ("rotate k", "turned = a * cos",
        "In each key, rotate each pair of features, further at each position."),
    "attention.value": ("value", "v = self.split(",
        "Multiply each vector by a matrix: its value is what the character hands on."),
    "attention.scores": ("scores", "scores =",
        "Take the dot product of each query with each key, and divide it by √K."),
    "attention.weights": ("weights", "causal_mask =",
        "Hide the characters that come later; softmax makes each row sum to 1."),
    "attention.heads": ("heads", "heads = weights @ v",
        "In each head, add up the values, each times its weight."),
    "attention.output": ("mix", "return self.output(heads",
        "Lay the heads side by side, and multiply by a matrix that mixes them."),
    "attention.sum": ("add", "x = x + self.attention(",
        "Add what attention has found to x, the residual stream."),
    "feed_forward_norm": NORM,
    "feed_forward.gate": ("gate", GATED,
        "Project each vector by itself to more features: the gate."),
    "feed_forward.up": ("up", GATED,
        "Project each vector by itself to more features, a second time."),
    "feed_forward.gated": ("times", GATED,
        "Apply SiLU to the gate, which lets little through below 0; multiply by the other."),
    "feed_forward.down": ("down", GATED, "Project down to the width of x."),
    "feed_forward.sum": ("add", "x = x + self.feed_forward(", "Add the result to x."),
    "norm": NORM,
    "output": ("logits", "return self.output(self.norm(x))",
        "Score every character of the vocabulary as the next one."),
    "choose": ("choose", "p = (logits",
        "Softmax makes probabilities (at temperature 1); the last row is drawn from."),
}  # fmt: skip
TWO_LINES = {"norm", "weights", "choose"}  # by their titles


class Operation(NamedTuple):
    """One stop of the walk: what is done, by which line, and what of the result is shown.

    `values` are (rows, columns), or (H, rows, columns), of which one head is shown.
    """

    part: str
    name: str
    line: Line
    shape: str
    shown: str
    rows: list[str]
    columns: list[str]
    values: Tensor


def line_of(start: str, count: int = 1) -> Line:
    """Return the line of gpt.py that begins with a text, with those after it up to `count`.

    Comments are left out. Raises ValueError unless there is exactly one.
    """
    program = recorded()["layers"]["program"].splitlines()
    lines = [line.partition("  #")[0].strip() for line in program]
    (first,) = [n for n, line in enumerate(lines) if line.startswith(start)]
    return Line("gpt.py", first + 1, "\n".join(lines[first : first + count]))


def read(text: str) -> tuple[Tensor, str]:
    """Return the ids that are read of a text, (1, T), and in words what is not read.

    Raises Trouble for a text of which the GPT knows no character.
    """
    known = real_model("GPT").tokenizer.encode([text])[0]
    if not known.numel():
        raise Trouble("Type a character that the GPT knows: a letter, a space, a comma.")
    notes = [unknown(text)]
    if (unread := known.numel() - READS) > 0:
        notes.append(
            f"Read are the last {READS} characters, which fit here, not the {unread} before."
        )
    return known[:, -READS:], " ".join(filter(None, notes))


@cache
def walk(text: str, silent: Silent = (), order: bool = True) -> list[Operation]:
    """Record how the GPT reads a text, changed or not."""
    real = real_model("GPT")
    ids, _ = read(text)
    how = changed(real.model, ATTENTION["GPT"].format, silent, order)
    with how, trace(real.model) as record, torch.no_grad():
        logits = real.model(ids)[0]
    rows = real.tokenizer.pieces(ids[0])
    best = logits[-1].topk(LIKELIEST).indices
    names = real.tokenizer.pieces(best)
    return [
        _shown(part, name, values, letters, rows, best, names)
        for part, name, values, letters in computed(record, ids[0], logits)
    ]


def outcome(text: str, silent: Silent = (), order: bool = True) -> str:
    """Return the three likeliest next characters, with their probabilities."""
    last = walk(text, silent, order)[-1]
    best = zip(last.columns[:3], last.values[-1].tolist(), strict=False)
    return ", ".join(f"“{name}” {p:.2f}" for name, p in best)


def computed(record: Record, ids: Tensor, logits: Tensor) -> Iterator[tuple[str, str, Tensor, str]]:
    """Yield each operation's part, name, whole result, and the letters of its shape."""

    def result(name: str) -> Tensor:
        return record.latest(name).output[0]

    yield "input", "ids", ids, "T"
    yield "input", "tokens", result("embeddings"), "T D"
    weights = record.attention()
    positions = [call.outputs for call in record.calls if call.kind is RotaryPositions]
    for n, (q, k) in enumerate(positions):
        part, layer = f"blocks.{n}", f"decoder.layers.{n}."
        own = weights[f"{layer}attention"][0]

        def split(x: Tensor, heads: int = len(own)) -> Tensor:
            return x.unflatten(-1, (heads, -1)).transpose(0, 1)

        def given(name: str) -> Tensor:
            return record.latest(name).inputs[0][0]

        ins, scores = f"{layer}attention.", q[0] @ k[0].mT / math.sqrt(q.size(-1))
        yield part, "attention_norm", result(f"{layer}attention_residual.norm"), "T D"
        yield part, "attention.query", split(result(f"{ins}query")), "H T K"
        yield part, "attention.query.rotated", q[0], "H T K"
        yield part, "attention.key", split(result(f"{ins}key")), "H T K"
        yield part, "attention.key.rotated", k[0], "H T K"
        yield part, "attention.value", split(result(f"{ins}value")), "H T K"
        yield part, "attention.scores", scores, "H T T"
        yield part, "attention.weights", own, "H T T"
        yield part, "attention.heads", split(given(f"{ins}output")), "H T K"
        yield part, "attention.output", result(f"{ins}output"), "T D"
        yield part, "attention.sum", result(f"{layer}attention_residual"), "T D"
        ins = f"{layer}feed_forward."
        yield part, "feed_forward_norm", result(f"{layer}feed_forward_residual.norm"), "T D"
        yield part, "feed_forward.gate", result(f"{ins}gate"), "T F"
        yield part, "feed_forward.up", result(f"{ins}up"), "T F"
        yield part, "feed_forward.gated", given(f"{ins}down"), "T F"
        yield part, "feed_forward.down", result(f"{ins}down"), "T D"
        yield part, "feed_forward.sum", result(f"{layer}feed_forward_residual"), "T D"
    yield "output", "norm", result("decoder.norm"), "T D"
    yield "output", "output", logits, "T V"
    yield "output", "choose", logits.softmax(dim=-1), "T V"


def _shown(
    part: str,
    name: str,
    values: Tensor,
    letters: str,
    rows: list[str],
    best: Tensor,
    names: list[str],
) -> Operation:
    """Return an operation with what of its result is shown: some columns, for each head."""
    title, start, _ = DOES[name]
    line, sizes = line_of(start, 1 + (title in TWO_LINES)), ", ".join(map(str, values.shape))
    shape = f"({letters.replace(' ', ', ')}) = ({sizes})"
    shown, width = "", values.size(-1)
    if letters == "T":
        values, columns = values[:, None].float(), ["id"]
    elif letters == "T V":
        values, columns = values[:, best], names
        shown = f"Shown: of {width} characters the {len(names)} likeliest after the last row."
    elif letters == "H T T":
        columns = rows
    else:
        columns = [str(feature) for feature in range(FEATURES)]
        values = values[..., :FEATURES]
        shown = f"Shown: features 0 to {FEATURES - 1} of {width}."
    if letters.startswith("H"):
        head = f"head {{}} of {len(values)}"
        shown = shown.replace("Shown: ", f"Shown: {head}, ") or f"Shown: {head}."
    return Operation(part, name, line, shape, shown, rows, columns, values)
