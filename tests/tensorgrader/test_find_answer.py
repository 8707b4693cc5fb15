"""Which of the cells that were run `check` judges: the one that gave the function its value."""

import ast
import sys
import textwrap
from types import ModuleType

import pytest
import torch

from tensorgrader.check import CheckFailed
from tests.tensorgrader.asking import as_cell
from transformer_lab import check

RIGHT = "def softmax(x):\n    e = torch.exp(x - x.amax(-1, True))\n    return e / e.sum(-1, True)\n"
MINE = "lambda x: (x - x.logsumexp(-1, True)).exp()"
BROKEN = "def softmax(x:\n    return x\n"


@pytest.fixture
def kernel(monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    names = vars(sys.modules["__main__"])
    names |= {"torch": torch, "In": [], "get_ipython": lambda: Magics(names)}

    def run(*cells):
        for cell in cells:
            names["In"].append(textwrap.dedent(cell))
            ran(names["In"][-1], names)
        return names

    return run


def ran(cell, names):
    """Run a cell statement by statement, up to one that cannot be compiled."""
    source = as_cell(cell)
    try:
        for statement in ast.parse(cell).body:
            exec(compile(ast.Module([statement], []), source, "exec"), names)
    except SyntaxError:
        pass


class Magics:
    """What IPython puts in the place of a magic."""

    def __init__(self, names):
        self.names = names

    def run_cell_magic(self, name, line, cell):
        try:
            exec(compile(cell, "<timed exec>", "exec"), self.names)
        except SyntaxError:
            assert (name, line) == ("time", "")

    def run_line_magic(self, name, line):
        pass


def timed(cell):
    return f"get_ipython().run_cell_magic('time', '', {cell!r})\n"


def told():
    try:
        check("attention-softmax", seed=1)
    except CheckFailed as failed:
        return str(failed)
    return ""


GIVES = {
    "a function": RIGHT,
    "a lambda": f"softmax = {MINE}",
    "a pair": f"softmax, other = {MINE}, 1",
    "a loop": f"for softmax in [{MINE}]:\n    pass",
    "an attempt": f"try:\n    softmax = {MINE}\nfinally:\n    pass",
    "an import": (
        f"import sys, types\nmine = types.ModuleType('mine')\nmine.softmax = {MINE}\n"
        "sys.modules['mine'] = mine\nfrom mine import softmax"
    ),
    "a partial": (
        f"from functools import partial\nmine = {MINE}\ndef own(k, x):\n    return mine(x)\n"
        "softmax = partial(own, 1)"
    ),
    "an object": (
        "class Own:\n    def __call__(self, x):\n        return (x - x.logsumexp(-1, True)).exp()\n"
        "softmax = Own()"
    ),
    "a decorator": (
        "import functools\ndef same(f):\n    @functools.wraps(f)\n    def g(x):\n"
        f"        return f(x)\n    return g\n@same\n{RIGHT}"
    ),
    "a global": f"def make():\n    global softmax\n    softmax = {MINE}\nmake()",
    "exec": f"exec({RIGHT!r})",
    "globals": f"globals()['softmax'] = {MINE}",
    "a timed cell": timed(RIGHT),
    "an indented cell": "    " + RIGHT.replace("\n", "\n    "),
    "what stands above an error": f"{RIGHT}break\n",
}


@pytest.mark.parametrize("cell", GIVES.values(), ids=GIVES)
def test_a_broken_cell_is_forgotten_once_another_has_given_the_function(kernel, cell):
    kernel(BROKEN, cell)
    assert told() == ""


ELSEWHERE = {
    "a docstring": 'def scores(q, k):\n    """\n    def softmax(x): see\n    """\n    return (q',
    "a comment": "# def softmax(x):\ndef scores(q, k)\n    return q",
    "a string": "words = '''\ndef softmax(x:\nsoftmax = 1\n'''\nprint(words",
    "a method": "class Own:\n    def softmax(self, x):\n        return (x",
    "a local name": "def scores(q, k):\n    softmax = q @ (k\n    return softmax",
    "a call": "print(softmax(torch.ones(2))",
    "a note": "def softmax comes in the next section",
    "another function": "def softmaxes(x:\n    pass",
}


@pytest.mark.parametrize("cell", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_broken_cell_that_is_to_define_something_else_does_not_count(kernel, cell):
    kernel(RIGHT, cell)
    assert told() == ""


NO_PYTHON = {
    "never closed": (BROKEN, "line 1: '(' was never closed"),
    "no colon": ("def softmax(x)\n    return x", "line 1"),
    "a lambda": ("softmax = lambda x: (x.exp(", "line 1"),
    "below others": ("def helper(x):\n    return x\n\nclass softmax:\n    def (", "line 5"),
    "in a block": ("if True:\n    def softmax(x:\n        pass", "line 2"),
    "an invisible space": (f"\u200b{RIGHT}", "U+200B"),
    "within the line": ("def\u200b softmax(x):\n    return x", "U+200B"),
    "an argument twice": ("def softmax(x, x):\n    return x", "line 1: duplicate argument"),
    "above it": (f"break\n{RIGHT}", "line 1: 'break' outside loop"),
    "in a timed cell": (timed(BROKEN), "line 1"),
}


@pytest.mark.parametrize("older", [[], [RIGHT]], ids=["alone", "after a right one"])
@pytest.mark.parametrize(("cell", "words"), NO_PYTHON.values(), ids=NO_PYTHON)
def test_the_last_cell_that_was_to_define_it_is_told_where_it_is_no_python(
    kernel, older, cell, words
):
    kernel(*older, cell)
    text = told()
    assert "syntax error in line" in text
    assert words in text


def test_what_was_deleted_or_is_no_function_is_not_there(kernel):
    for cell in ("del softmax", "softmax = 3"):
        kernel(BROKEN, RIGHT, cell)
        assert "no function `softmax`" in told()


def test_a_line_that_slipped_out_of_the_function_is_named(kernel):
    kernel("def softmax(x):\n    e = x.exp()\nreturn e / e.sum(-1, True)\n")
    text = told()
    assert "'return' outside function" in text
    assert "Line 3 is outside" in text
