"""The block walk: a text on its way through a whole model, operation by operation."""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.generate import GivenSource, generate
from transformer_lab.pretrained.bergamot import BERGAMOT, END, SSRU
from transformer_lab.sampling import greedy
from transformer_lab.trace import Line, Record, trace
from transformer_lab.widgets import _gpt_walk
from transformer_lab.widgets._base import Widget, halves
from transformer_lab.widgets._gpt_walk import Operation
from transformer_lab.widgets._real import Silent, changed, note, pieces, read, real_model
from transformer_lab.widgets._traits import Heads, Stop, Text, Words

TEXT = "Where is my lor"
SENTENCES = ["The cat eats fish", "The fish eats the cat", "I like the dog"]
STEPS = 86  # of the translator; the GPT has fewer
READING, WRITING, HEADS = 6, 2, 8  # layers that read the sentence, that write, and heads of each
FEATURES = 16  # the features of each token's vector that are shown
LETTERS = {BERGAMOT.d_model: "D", BERGAMOT.d_ff: "d_ff", BERGAMOT.vocabulary: "V"}
LONGEST = 16  # the maximum of tokens in a translation
NORM = "add & norm", "Add the input (the residual) to the output; normalise each vector."
WEIGHTS = "Match queries with keys; softmax makes weights of the scores: each row sums to 1."
OUTPUT = "Concatenate the heads' outputs, and let W_O mix them."
MEMORY = "of the memory: of the encoder's vectors of the source."
#: The title and description of each operation; others (whole modules, dropout) are skipped.
DOES = {
    "tokens": ("look up", "Look up the vector of each token, times √D."),
    "positions": ("add places", "Add to each vector the vector of its place in the sentence."),
    "attention.query": ("query", "Compute each token's query: what it looks for."),
    "attention.key": ("key", "Compute each token's key: what it can be found by."),
    "attention.value": ("value", "Compute each token's value: what it has to give."),
    "attention.weights": ("weights", WEIGHTS),
    "attention.output": ("mix", OUTPUT),
    "attention.forget": ("forget", "How much of the past each token keeps (a sigmoid follows)."),
    "attention.candidate": ("candidate", "Compute what each token would add to the running mean."),
    "attention": ("running mean", "This decoder has it in place of self-attention: it is cheaper."),
    "attention_residual.norm": NORM,
    "cross_attention.query": ("cross query", "Each written token asks: what comes next?"),
    "cross_attention.key": ("cross key", f"Make keys {MEMORY}"),
    "cross_attention.value": ("cross value", f"Make values {MEMORY}"),
    "cross_attention.weights": ("cross weights", WEIGHTS),
    "cross_attention.output": ("cross mix", OUTPUT),
    "cross_attention_residual.norm": NORM,
    "feed_forward.up": ("up", "Each token by itself: project its vector up."),
    "feed_forward.down": ("down", "Set negative numbers to 0 (ReLU), and project down again."),
    "feed_forward_residual.norm": NORM,
    "output": (
        "score",
        "Score every token of the vocabulary: the dot product with its own vector.",
    ),
    "choose": ("choose", "Turn the scores into probabilities; take the likeliest in each row."),
}


class BlockWalk(Widget):
    """A text in the GPT, from its characters to the next one, or a sentence in the translator.

    Controls: `model` (the GPT of gpt.py, or the English-Portuguese translator), `step` (which
    operation), `text` (what the GPT reads), `tokens` (the words of the translator's sentence),
    `head` (which one is shown where heads are), `silent` (heads that add nothing, each as its layer
    and its number: the translator's layers are counted through, six that read and two that write),
    `order` (whether tokens know their places). The decoder of the translator reads its own
    translation, as in training, so that all words are seen at once. The translator needs
    `transformer-lab pretrained`.
    """

    stem = "block_walk"
    alt = (
        "One operation in a model: what comes out of it, a row for each token and a column for "
        "each of the first features (of weights, for each token looked at), with the operation's "
        "name, its shape and the line of code that computes it, and a drawing of the model in "
        "which the operation is marked."
    )
    model = Stop(["GPT", "translator"], "GPT", label="Model")
    step = Stop(list(range(STEPS)), 0, label="Step", view=True)
    text = Text(TEXT, most=240, label="Your text", swept=False)
    tokens = Words(SENTENCES, fit=(1, 200), label="Sentence")
    head = Stop(list(range(HEADS)), 0, label="Head", view=True)
    silent = Heads(READING + WRITING, HEADS, label="Silent heads", swept=False)
    order = Stop([True, False], True, label="Tokens know their places", swept=False)

    def frame_at(
        self, model: str, text: str, tokens: list[str], silent: list, order: bool
    ) -> dict[str, Any]:
        """Return all operations, whose values lie end to end, and what the model says.

        That as it is changed, and as it is when nothing is.
        """
        sentence, mute = " ".join(tokens), tuple(map(tuple, silent))
        if model == "GPT":
            operations, told = _gpt_walk.walk(text, mute, order), _gpt_walk.read(text)[1]
            outcome = [_gpt_walk.outcome(text, mute, order), _gpt_walk.outcome(text)]
        else:
            operations, told = walk(sentence, mute, order), note("translator", sentence)
            outcome = [_text(sentence, mute, order), _text(sentence, (), True)]
        return {
            "steps": [
                {
                    "part": o.part,
                    "operation": o.name,
                    "name": does[0],
                    "does": does[-1],
                    "where": _where(o.line),
                    "code": o.line.text,
                    "shape": o.shape,
                    "shown": o.shown,
                    "rows": o.rows,
                    "columns": o.columns,
                    "scale": _scale(o),
                    "layer": _layer(o),
                    "heads": len(o.values) if o.values.dim() == 3 else 1,
                }
                for o in operations
                for does in [(_gpt_walk.DOES if model == "GPT" else DOES)[o.name]]
            ],
            "values": halves(torch.cat([o.values.flatten() for o in operations])),
            "outcome": outcome,
            "note": told,
        }

    def figure(self) -> Any:
        """Draw the values of the present operation."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        steps = self.frame["steps"]
        number = min(self.step, len(steps) - 1)
        silent = tuple(map(tuple, self.silent))
        if self.model == "GPT":
            o = _gpt_walk.walk(self.text, silent, self.order)[number]
        else:
            o = walk(" ".join(self.tokens), silent, self.order)[number]
        head = min(self.head, steps[number]["heads"] - 1)
        figure = Figure(figsize=(7, 3.6), layout="constrained")
        ax = figure.subplots()
        values, scale = o.values if o.values.dim() == 2 else o.values[head], _scale(o)
        image = ax.imshow(values.numpy(), cmap=plots.SIGNS, vmin=-scale, vmax=scale, aspect="auto")
        ax.set_xticks(range(len(o.columns)), o.columns)
        ax.set_yticks(range(len(o.rows)), o.rows)
        title = f"{o.part}: {steps[number]['name']}   {o.shape}\n{o.line.text}"
        ax.set_title(title, parse_math=False)
        ax.set_xlabel(o.shown.format(head))
        figure.colorbar(image)
        return figure


def _where(line: Line) -> str:
    """Return the file and the number of a line, or of two."""
    name, more = Path(line.file).name, line.text.count("\n")
    lines = f"lines {line.number} and {line.number + more}" if more else f"line {line.number}"
    return f"{name}, {lines}"


def _scale(operation: Operation) -> float:
    """Return the value drawn in full colour: 1 for shares, else the largest."""
    if operation.name.endswith(("weights", "choose")):
        return 1.0
    return max(0.1, round(operation.values.abs().max().item(), 1))


def _layer(operation: Operation) -> int | None:
    """Return the number of the layer whose heads the operation belongs to, if there is one."""
    found = re.match(r"(\w+?)(?:\.layers)?\.(\d+)", operation.part)
    return int(found[2]) + READING * (found[1] == "decoder") if found else None


def attention(layer: int) -> str:
    """Return the name of the attention with heads of a layer, counted through both stacks."""
    if layer < READING:
        return f"encoder.layers.{layer}.attention"
    return f"decoder.layers.{layer - READING}.cross_attention"


def _text(sentence: str, silent: Silent, order: bool) -> str:
    """Return the translation."""
    (text,) = real_model("translator").tokenizer.decode(_translation(sentence, silent, order))
    return f"“{text}”"


@cache
def _translation(sentence: str, silent: Silent, order: bool) -> Tensor:
    """Return the tokens of the translation."""
    translator = real_model("translator")
    with changed(translator.model, attention, silent, order), torch.no_grad():
        given = GivenSource(translator.model, read(translator, sentence))
        return generate(given, given.start, max_new_tokens=LONGEST, eos_id=END, pad_id=END)


@cache
def walk(sentence: str, silent: Silent = (), order: bool = True) -> list[Operation]:
    """Record how the translator reads a sentence and its own translation of it."""
    translator = real_model("translator")
    ids, written = read(translator, sentence), _translation(sentence, silent, order)
    start = torch.full((1, 1), BERGAMOT.start_id)
    how = changed(translator.model, attention, silent, order)
    with how, trace(translator.model) as record, torch.no_grad():
        translator.model(ids, torch.cat([start, written[:, :-1]], dim=-1))
    source, target = (pieces(translator, row[0].tolist()) for row in (ids, written))
    return list(_operations(record, source, target, written[0]))


def _operations(
    record: Record, source: list[str], target: list[str], written: Tensor
) -> Iterator[Operation]:
    """Yield the operations of a record, with those that are no module: weights, choice."""
    encoding, weights = True, record.attention()
    read = ["(start)", *target[:-1]]
    for call in record.calls:
        part, name = _split(call.name)
        encoding = encoding and part != "encoder"  # the call of the whole encoder comes last
        if part == "embeddings" and not encoding:
            part = "decoder_embeddings"  # the token table is shared
        if name not in DOES or (name == "attention" and call.kind is not SSRU):
            continue
        of_source = encoding or name in ("cross_attention.key", "cross_attention.value")
        letter, rows = ("S", source) if of_source else ("T", read)
        if name.endswith("attention.output"):
            heads = weights[call.name.removesuffix(".output")][0]
            weigh = line_with(scaled_dot_product_attention, "softmax")
            shape = f"(H, {letter}, S) = {tuple(heads.shape)}"
            shown = f"Shown: head {{}} of {len(heads)}."
            operation = name.replace("output", "weights")
            yield Operation(part, operation, weigh, shape, shown, rows, source, heads)
        values = call.output[0]
        width = values.size(-1)
        shape = f"({letter}, {LETTERS[width]}) = {tuple(values.shape)}"
        columns = [str(feature) for feature in range(FEATURES)]
        shown = f"Shown: features 0 to {FEATURES - 1} of {width}."
        if name == "output":
            columns, shown = target, f"Shown: {len(target)} tokens, the written ones, of {width}."
        kept = written if name == "output" else slice(FEATURES)
        yield Operation(part, name, call.line, shape, shown, rows, columns, values[:, kept])
        if name == "output":
            chosen, choose = values.softmax(dim=-1)[:, written], line_with(greedy, "argmax")
            shape = f"(T) = ({len(rows)})"
            yield Operation(part, "choose", choose, shape, shown, rows, target, chosen)


def line_with(function: Callable, text: str) -> Line:
    """Return the first line of a function's code that contains a text."""
    lines, first = inspect.getsourcelines(function)
    found = next(i for i, line in enumerate(lines) if text in line)
    return Line(inspect.getfile(inspect.unwrap(function)), first + found, lines[found].strip())


def _split(name: str) -> tuple[str, str]:
    """Split the name of a module into the part of the model and the operation in it."""
    layer = re.match(r"(\w+\.layers\.\d+|\w*embeddings)\.(.*)", name)
    return (layer[1], layer[2]) if layer else (name, name)
