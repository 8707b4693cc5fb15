"""Next token: the probabilities of the next token, and the text that follows from choosing."""

from collections.abc import Sequence
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import torch
import traitlets
from jaxtyping import Float
from torch import Tensor

from transformer_lab.beam_search import beam_search
from transformer_lab.cache import Cache
from transformer_lab.generate import Decoder, GivenSource, next_token_logits
from transformer_lab.pretrained import Pretrained
from transformer_lab.pretrained.bergamot import END
from transformer_lab.pretrained.shakespeare import READS
from transformer_lab.pretrained.smollm2 import END_OF_TURN
from transformer_lab.sampling import apply_temperature, keep_top_k, keep_top_p
from transformer_lab.trace import trace
from transformer_lab.widgets._base import Widget, halves, shares
from transformer_lab.widgets._real import (
    ATTENTION,
    Silent,
    changed,
    note,
    pieces,
    read,
    real_model,
    unknown,
)
from transformer_lab.widgets._traits import Heads, Stop, Text, Words

BEGINNINGS = ["The dog sleeps", "The cat sat on the"]
PROMPT = "ROMEO.\nWhat say you, my "
CANDIDATES = 12  # the candidates, of which one is chosen
MOST = {"SmolLM2": 4, "translator": 8}  # tokens written
BEAMS, LONG = 4, {"SmolLM2": 8, "translator": 12}  # and their maximum of tokens
#: Random numbers for each throw: they choose the tokens, and the one after the last.
DICE = [
    [0.62, 0.31, 0.83, 0.45, 0.12, 0.57, 0.26, 0.95, 0.08],
    [0.18, 0.76, 0.55, 0.9, 0.37, 0.03, 0.81, 0.49, 0.67],
    [0.93, 0.48, 0.22, 0.71, 0.64, 0.39, 0.06, 0.85, 0.52],
]
LAYERS, HEADS = 2, 8  # of the translator; head 0 of layer 1 aligns the words
DEEPEST = 3  # layers of the GPT
LOOKS = ATTENTION["translator"].format


class NextToken(Widget):
    """The likeliest next tokens of a real model, and what temperature, top k and top p leave.

    Controls: `model` (the GPT writes on from a text, character by character; the translator
    translates a beginning, SmolLM2 goes on from it), `text` (what the GPT has read), `tokens` (the
    words of the beginning), `temperature`, `top_k`, `top_p`, `throw` (which random numbers choose),
    `every` (whether all of the GPT's characters are shown), `written` (how many tokens are chosen
    already). Of the GPT's attention, or the translator's cross-attention, `layer` and `head` (which
    is shown), `silent` (heads that add nothing, each as its layer and its number); `order` (whether
    tokens know their places). All but the GPT need `transformer-lab pretrained`.
    """

    stem = "next_token"
    alt = (
        "The twelve likeliest next tokens of a language model as bars of probability, before and "
        "after temperature, top k and top p. What is cut has no second bar."
    )
    model = Stop(["GPT", "translator", "SmolLM2"], "GPT", label="Model")
    text = Text(PROMPT, label="Text: type, or let it write", swept=False)
    tokens = Words(BEGINNINGS, fit=(1, 200), label="Beginning")
    temperature = Stop([0.25, 0.5, 0.8, 1.0, 1.5, 2.0], 1.0, label="Temperature", view=True)
    top_k = Stop([1, 2, 4, 8, CANDIDATES, 80], 80, label="Top k", view=True)
    top_p = Stop([0.5, 0.8, 0.9, 1.0], 1.0, label="Top p", view=True)
    throw = Stop([1, 2, 3], 1, label="Dice throw", view=True)
    every = Stop([False, True], False, label="Show all characters", view=True)
    written = Stop(list(range(max(MOST.values()) + 1)), 0, label="Written", view=True)
    layer = Stop(list(range(DEEPEST)), 1, label="Layer", view=True)
    head = Stop(list(range(HEADS)), 0, label="Head", view=True)
    silent = Heads(DEEPEST, HEADS, label="Silent heads", swept=False)
    order = Stop([True, False], True, label="Tokens know their places", swept=False)

    dice = traitlets.List(DICE, read_only=True).tag(sync=True)

    def lend(self, name: str) -> Pretrained:
        """Return the real model of that name, which is shared: two of SmolLM2 would fill memory."""
        return real_model(name)

    def frame_at(
        self, model: str, text: str, tokens: list[str], silent: list, order: bool
    ) -> dict[str, Any]:
        """Return every text that the controls can lead to, and the greedy and beam results.

        Of the GPT only what comes next: each character that is written asks it again.
        """
        if model == "GPT":
            return following(text, tuple(map(tuple, silent)), order)
        beginning = " ".join(tokens)
        source, nodes, rivals = tree(model, beginning, silent, order)
        if model == "translator" and (silent or not order):
            (before, *_) = tree(model, beginning)[2]
            rivals = [*rivals, before | {"name": "unchanged"}]
        return {
            "source": source,
            "nodes": [{"text": n.text, "names": n.names, "next": n.next} for n in nodes],
            "logits": halves(torch.stack([n.logits for n in nodes])),
            "others": [round(n.others, 3) for n in nodes],
            "layers": LAYERS,
            "heads": HEADS,
            "looks": shares(torch.stack([n.looks for n in nodes])),
            "rivals": rivals,
            "note": note(model, beginning),
        }

    def figure(self) -> Any:
        """Draw the bars, before and after."""
        from matplotlib.figure import Figure

        from transformer_lab import plots

        rule = (self.temperature, self.top_k, self.top_p)
        if self.model == "GPT":
            read, node = _next(self.text, tuple(map(tuple, self.silent)), self.order)
            beginning = "".join(read)
        else:
            _, nodes, _ = tree(self.model, " ".join(self.tokens), self.silent, self.order)
            node = nodes[walk(nodes, rule, DICE[self.throw - 1])[: self.written + 1][-1]]
            beginning = f"{' '.join(self.tokens)} …"
        before = (node.logits.softmax(-1) * (1 - node.others))[:CANDIDATES]
        after = probabilities(node.logits, *rule)[:CANDIDATES]
        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        ax = figure.subplots()
        places = torch.arange(len(after), 0, -1).numpy()
        ax.barh(places + 0.2, before.numpy(), 0.35, color=plots.BLOCKED, label="before")
        ax.barh(places - 0.2, after.numpy(), 0.35, color=plots.INDIGO, label="after")
        ax.set_yticks(places, node.names[:CANDIDATES])
        ax.set(xlabel="probability", title=f"{beginning} {node.text}")
        ax.legend(title="temperature, top k, top p")
        return figure


class Node(NamedTuple):
    """A text, and its possible next tokens: names, and logits relative to the best.

    `others` is the probability of all the rest, `looks` the attention of each head of the
    translator to the source, `next` the number of the node that each candidate leads to, if any.
    """

    text: str
    names: list[str]
    logits: Float[Tensor, " V"]
    others: float
    looks: Float[Tensor, "L H S"]
    next: list[int | None]


Texts = tuple[list[str], list[Node], list[dict]]


def following(text: str, silent: Silent, order: bool) -> dict[str, Any]:
    """Return what the GPT says of the character after a text, and where its heads look for it."""
    read, node = _next(text, silent, order)
    layers, heads, _ = node.looks.shape
    return {
        "source": read,
        "nodes": [{"text": "", "names": node.names, "next": node.next}],
        "logits": halves(node.logits),
        "others": [0.0],
        "layers": layers,
        "heads": heads,
        "looks": shares(node.looks),
        "rivals": [],
        "note": unknown(text),
    }


def _next(text: str, silent: Silent, order: bool) -> tuple[list[str], Node]:
    """Return the characters that are read, and what comes next.

    An empty text is read as the end of a line, as at the beginning of a play.
    """
    real, attention = real_model("GPT"), ATTENTION["GPT"]
    ids = real.tokenizer.encode([text])[0][:, -READS:]
    if not ids.size(-1):
        ids = real.tokenizer.encode(["\n"])[0]
    model = real.model
    with (
        changed(model, attention.format, silent, order),
        trace(model, attention.format("*")) as record,
        torch.no_grad(),
    ):
        best, candidates = model(ids)[0, -1].sort(descending=True)
    looks = torch.cat(list(record.attention().values()))[:, :, -1]
    names = pieces(real, candidates.tolist())
    below = (best - best[0]).half().double()
    node = Node("", names, below, 0.0, looks, [None] * len(names))
    return pieces(real, ids[0].tolist()), node


def probabilities(
    logits: Float[Tensor, " V"], temperature: float, top_k: int, top_p: float
) -> Float[Tensor, " V"]:
    """Return the probabilities of `sample`, after temperature, top k and top p, in turn."""
    kept = keep_top_p(
        keep_top_k(apply_temperature(logits, temperature), min(top_k, len(logits))), top_p
    )
    return kept.softmax(dim=-1)


def chosen(probability: Float[Tensor, " V"], number: float) -> int:
    """Return the candidate on whose share of the line from 0 to 1 a random number falls."""
    return int((probability.cumsum(-1) <= number).sum())


def walk(nodes: list[Node], rule: tuple, numbers: list[float]) -> list[int]:
    """Return the numbers of the nodes that the random numbers lead through."""
    path = [0]
    for number in numbers:
        node = nodes[path[-1]]
        following = node.next[chosen(probabilities(node.logits, *rule), number)]
        if following is None:  # the text has ended
            break
        path.append(following)
    return path


def tree(name: str, beginning: str, silent: Sequence = (), order: bool = True) -> Texts:
    """Return the source, every text that the controls can lead to, and greedy and beam results.

    The first node is the empty text. Texts of one length are read together. SmolLM2 stays
    unchanged: it has no cross-attention to ablate and no positions to remove.
    """
    if name != "translator":
        silent, order = (), True
    return _grown(name, beginning, tuple(map(tuple, silent)), order)


@cache
def _grown(name: str, beginning: str, silent: Silent, order: bool) -> Texts:
    real = real_model(name)
    with changed(real.model, LOOKS, silent, order), torch.no_grad():
        return _tree(name, real, beginning)


def _tree(name: str, real: Pretrained, beginning: str) -> Texts:
    ids = read(real, beginning)
    translates = name == "translator"
    writer = GivenSource(real.model, ids) if translates else real.model
    prompt, end = (writer.start, END) if translates else (ids, END_OF_TURN)
    controls = NextToken.grid()
    rules = product(*(controls[name] for name in ("temperature", "top_k", "top_p")))
    cache = Cache()
    nodes: list[Node] = []
    level: dict[tuple[int, ...], list[tuple]] = {(): list(product(rules, DICE))}
    for depth in range(MOST[name] + 1):
        texts = torch.tensor(list(level), dtype=torch.long)  # (texts, depth)
        so_far = torch.cat([prompt.expand(len(level), -1), texts], dim=-1)
        logits, looks = _read(writer, so_far, cache, translates)
        best, candidates = logits.topk(CANDIDATES)
        below = (best - best[:, :1]).half().double()
        others = 1 - logits.softmax(-1).gather(-1, candidates).sum(-1)
        first, rows = len(nodes) + len(level), []
        following: dict[tuple[int, ...], list[tuple]] = {}
        for row, (text, ways) in enumerate(level.items()):
            lead: list[int | None] = [None] * CANDIDATES
            leads = _picked(below[row], ways, depth) if depth < MOST[name] else {}
            for pick, those in leads.items():
                token = int(candidates[row, pick])
                if token != end:
                    lead[pick] = first + len(following)
                    following[(*text, token)] = those
                    rows.append(row)
            names = pieces(real, candidates[row].tolist())
            (written,) = real.tokenizer.decode(texts[row : row + 1])
            nodes.append(Node(written, names, below[row], others[row].item(), looks[row], lead))
        if not following:
            break
        level = following
        cache.reorder(torch.tensor(rows))
    source = pieces(real, ids[0].tolist()) if translates else []
    return source, nodes, _rivals(real, writer, prompt, end, LONG[name])


def _picked(logits: Float[Tensor, " V"], ways: list[tuple], depth: int) -> dict[int, list[tuple]]:
    """Group the ways to choose, a rule and its random numbers, by the candidate that they pick."""
    groups: dict[int, list[tuple]] = {}
    for rule, numbers in ways:
        pick = chosen(probabilities(logits, *rule), numbers[depth])
        groups.setdefault(pick, []).append((rule, numbers))
    return groups


def _read(
    writer: Decoder, ids: Tensor, cache: Cache, translates: bool
) -> tuple[Float[Tensor, "B V"], Float[Tensor, "B L H S"]]:
    """Return the logits of the token after each text, and the translator's attention."""
    if not translates:
        return next_token_logits(writer, ids, None, cache), torch.zeros(len(ids), LAYERS, HEADS, 0)
    with trace(writer, f"*{LOOKS('*')}") as record:
        logits = next_token_logits(writer, ids, None, cache)
    return logits, torch.stack([*record.attention().values()], dim=1)[:, :, :, -1]


def _rivals(real: Pretrained, writer: Decoder, prompt: Tensor, end: int, long: int) -> list[dict]:
    """Return the texts of greedy decoding and of beam search, with their log-probabilities."""
    search, rivals = partial(beam_search, max_new_tokens=long, eos_id=end, pad_id=end), []
    for name, beams in (("greedy", 1), (f"{BEAMS} beams", BEAMS)):
        texts = search(writer, prompt, beams=beams, penalty=lambda _: 1.0)
        (text,) = real.tokenizer.decode(texts.tokens[0, :1])
        rivals.append({"name": name, "text": text, "log": round(texts.scores[0, 0].item(), 2)})
    return rivals
