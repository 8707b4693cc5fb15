"""greedy: take the most probable token at each step."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

CHAIN = (3, 4, 0, 1, 2)  # the next tokens of 0, 1, 2, 3 and 4: no token recurs before five steps
RING = (3, 0, 3, 2, 1)  # their next tokens if 2 and 3 alternate, and 4 never occurs
STAY = (1, 2, 2, 0, 3)  # their next tokens if 2 follows itself, and 4 never occurs


def greedy(table: Tensor, prompt: list[int], steps: int, end_id: int) -> list[int]:
    """Return the tokens of greedy decoding."""
    written: list[int] = []
    while len(written) < steps and written[-1:] != [end_id]:
        written.append(int(table[[*prompt, *written][-1]].argmax()))
    return written


EXERCISE = Exercise(
    __name__,
    greedy,
    results={"new ids": ""},
    section="book/training_and_writing#Writing, step by step",
)


@EXERCISE.requires("It returns the likeliest token after each token, and nothing else.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return prompts without an end token within reach; some tokens recur, even at once."""
    cases = (([0], 3, 2), ([1, 2], 2, 4), ([4, 3], 3, 0), ([0, 2, 1], 3, 3))
    again = (([0], 6, 4), ([1, 2], 5, 4))
    itself = (([0], 5, 4), ([3, 2], 1, 4))
    return [
        *(_chain(draw, CHAIN, *case) for case in cases),
        *(_chain(draw, RING, *case) for case in again),
        *(_chain(draw, STAY, *case) for case in itself),
    ]


@EXERCISE.requires("It stops after the end symbol, which still belongs to the text.", points=1)
def end(draw: Draw) -> list[Inputs]:
    """Return cases in which the end token comes before the last step, or ends the prompt."""
    cases = (([0], 8, 2), ([4, 1], 6, 0), ([2, 3], 5, 2), ([0, 1, 4], 4, 2), ([1, 2], 3, 2))
    return [_chain(draw, CHAIN, *case) for case in cases]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return more cases in which tokens recur."""
    return [_chain(draw, RING, *case) for case in (([2], 6, 4), ([0, 3], 5, 4))]


def _chain(
    draw: Draw, chain: tuple[int, ...], prompt: list[int], steps: int, end_id: int
) -> Inputs:
    """Draw logits whose most probable tokens follow a chain, and renumber all tokens."""
    table = draw.normal(5, 5)
    table[torch.arange(5), torch.tensor(chain)] = table.amax(dim=-1) + 1
    ids = draw.distinct(5, low=0, high=5)
    places = torch.tensor(ids).argsort()
    renamed = table[places][:, places]
    return Inputs((renamed, [ids[token] for token in prompt], steps, ids[end_id]))


EXERCISE.edit(
    "the prompt is returned too",
    "[*prompt, *greedy(table, prompt, steps, end_id)]",
    why="\nReturn only the new tokens: leave out the prompt.",
)
EXERCISE.edit(
    "it does not stop at the end symbol",
    {"steps and written[-1:] != [end_id]": "steps"},
    why="After the end symbol the text is over. A model that is asked to continue will write "
    "something.\nStop as soon as the end symbol has been written.",
)
EXERCISE.edit(
    "the end symbol is not written",
    "written = greedy(table, prompt, steps, end_id); "
    "return [token for token in written if token != end_id]",
    why="It stops before it appends the end symbol. That symbol is a token like any other, and "
    "shows that the text is finished and was not cut off.",
)
EXERCISE.edit(
    "it does not read what it has written",
    {"prompt, *written": "written, *prompt"},
    why="Each step reads the end of the prompt, so each step writes the same.\nRead the newest "
    "token in the next step.",
)
EXERCISE.edit(
    "it looks at the first token, not at the last",
    {"[-1]": "[0]"},
    "greedy(table, prompt[:1], steps, end_id)",
    why="The logits at the *last* position say what comes next. Those at the first say what comes "
    "second, which is known.",
)
EXERCISE.edit(
    "it writes one token too few",
    {"< steps": "< steps - 1"},
    why="steps is the largest number of tokens to write, including the end symbol.",
)
EXERCISE.edit(
    "it writes one token too many",
    {"< steps": "<= steps"},
    why="steps is the largest number of tokens to write, including the end symbol.",
)
EXERCISE.edit(
    "the prompt counts among the steps",
    "greedy(table, prompt, steps - len(prompt), end_id)",
    why="steps is the largest number of tokens to *write*, however long the prompt is.",
)
EXERCISE.edit(
    "it reads columns, not rows",
    {"table[[*prompt, *written][-1]]": "table.transpose(-2, -1)[[*prompt, *written][-1]]"},
    why="Row i of the table holds the logits for the token after token i.",
)
EXERCISE.edit(
    "it stops when a token repeats",
    "written = greedy(table, prompt, steps, end_id); again = (n for n, token in "
    "enumerate(written) if token in written[:n]); return written[: next(again, len(written))]",
    why="A text may contain the same token twice.\nIt ends with the end symbol, or after `steps` "
    "tokens.",
)
