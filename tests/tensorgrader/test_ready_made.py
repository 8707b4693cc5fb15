"""Ready-mades are refused in every disguise an honest hand would use, and nothing else is."""

import ast
from functools import cache

import pytest

from lab_notebooks.notebooks import read_notebook
from lab_notebooks.solutions import solved_text
from tensorgrader.ready_made import ready_made, statements
from tests.course import CHAPTERS
from tests.exercises.standing_alone import standing_alone
from tests.exercises.test_answers import written

NAMES = frozenset({"softmax", "scaled_dot_product_attention", "Softmax"})


@pytest.mark.parametrize(
    "source",
    [
        "def f(x): return torch.softmax(x, -1)",
        "def f(x): return x.softmax(-1)",
        "def f(x): return torch.nn.Softmax(-1)(x)",
        "import torch.nn.functional as G\ndef f(x): return G.softmax(x, -1)",
        "from torch.nn.functional import softmax as g\ndef f(x): return g(x, -1)",
        "def f(x):\n    from torch import softmax\n    return softmax(x, -1)",
        "def f(x): return getattr(torch, 'softmax')(x, -1)",
        "g = torch.softmax\ndef f(x): return g(x, -1)",
        "def h(x): return x.softmax(-1)\ndef g(x): return h(x)\ndef f(x): return g(x)",
        "f = torch.softmax",
        "f = lambda x: x.softmax(-1)",
        "class A:\n    def go(self, x): return x.softmax(-1)\ndef f(x): return A().go(x)",
        "class A:\n    def go(self): return self.softmax(-1)\ndef f(x): return A.go(x)",
        "class softmax:\n    def go(self): return self.softmax(-1)\nf = softmax.go",
        "class A:\n    def softmax(self, x): return x\ndef f(x): return torch.softmax(x, -1)",
        "def g(x):\n    global h\n    h = torch.softmax\ndef f(x): return h(x, -1)",
        "if True:\n    g = torch.softmax\ndef f(x): return g(x, -1)",
        "def f(x): return [g(row) for row in x]\ng = torch.softmax",
        "g = torch.softmax\nfor g in []: pass\ndef f(x): return g(x, -1)",
        "g = torch.softmax\ng: object\ndef f(x): return g(x, -1)",
        "g = torch.softmax\ng = no_grad(g)\ndef f(x): return g(x, -1)",
        "from torch import softmax\ng = softmax\ndef softmax(x): return g(x, -1)\nf = softmax",
        "def f(x): return x.exp()\ndef f(x): return x.softmax(-1)",
        "def f(x): return x.softmax(-1)\nif not 'torch':\n    def f(x): return x.exp()",
        f"g = torch.softmax, {'-' * 900}1\ndef f(x): return g[0](x, -1)",
    ],
)
def test_found(source):
    assert ready_made(["f"], statements(ast.parse(source)), NAMES)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    'Not with torch.softmax.'\n    return x.exp()  # x.softmax",
        "def softmax(x): return x.exp()\ndef f(x): return softmax(x)",
        "def g(x): return x.softmax(-1)\ndef f(x): return x",
        "from torch.nn.functional import relu\ndef f(x): return relu(x)",
        "def f(f): return f(f)",
        "def f(x):\n    y = x.exp()\n    return y\ny = x.softmax(-1)",
        "def f(x): return (lambda w: w)(x)\ndef g(x):\n    w = x.softmax(-1)\n    return w",
        "def f(x): return x.exp()\nfor x in y: assert same(f(x), x.softmax(-1))",
        "def f(x): return x.exp()\ndef test():\n    x = g()\n    assert f(x) == x.softmax(-1)",
        "def f(x): return x.exp() / z\n[(f(z), z.softmax(-1)) for z in torch.ones(2)]",
        "def f(x): return x.exp() / z\n{z: z.softmax(-1) for z in torch.ones(2)}",
        "def f(x): return x.exp()\nassert same(f(x := torch.ones(2)), x.softmax(-1))",
        "def f(x): return torch.softmax(x, -1)\ndef f(x): return x.exp()",
        "from torch.nn.functional import softmax\ndef softmax(x): return x.exp()\nf = softmax",
        "g = torch.softmax\ng, *h = torch.exp, 1\ndef f(x): return g(x)",
        "class A:\n    def softmax(self, x): return x.exp()\n"
        "    def go(self, x): return self.softmax(x)\ndef f(x): return A().go(x)",
    ],
)
def test_not_found(source):
    assert ready_made(["f"], statements(ast.parse(source)), NAMES) is None


def test_the_search_crosses_cells():
    cells = [ast.parse("def helper(x): return x.softmax(-1)"), ast.parse("f = helper")]
    code = [statement for cell in cells for statement in statements(cell)]
    assert ready_made(["f"], code, NAMES) == "x.softmax"


@cache
def solved(chapter):
    """Read the official solutions, statement by statement, by the ids of their cells."""
    cells = read_notebook(f"exercises/{chapter}", solved_text).cells
    sources = {cell.id: cell.source for cell in cells if cell.cell_type == "code"}
    return {e.id: statements(ast.parse(sources[e.id])) for e in CHAPTERS[chapter].exercises}


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_right_answers_beside_the_official_ones_hold_no_ready_made(chapter):
    steps = {exercise.function for exercise in chapter.exercises}
    names = sorted({name for exercise in chapter.exercises for name in exercise.forbidden})
    theirs = f"[{', '.join(f'torch.{name}' for name in names)}]"
    for exercise, function in written(chapter):
        local = sorted({*function.__code__.co_varnames} - steps)  # below, these are PyTorch's
        below = [f"{exercise.function} = {function.__name__}", " = ".join([*local, theirs])]
        source = "\n".join([standing_alone(function), *below])
        cells = solved(chapter.name) | {exercise.id: statements(ast.parse(source))}
        code = []
        for step in chapter.exercises:
            code += cells[step.id]
            assert not ready_made([step.function], code, step.forbidden), function.__name__
