"""Ready-mades are refused in every disguise an honest hand would use, and nothing else is."""

import ast

import pytest

from tensorgrader.ready_made import ready_made, statements

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
        "class softmax:\n    def go(self): return self.softmax(-1)\nf = softmax.go",
        "class A:\n    def softmax(self, x): return x\ndef f(x): return torch.softmax(x, -1)",
        "def g(x):\n    global h\n    h = torch.softmax\ndef f(x): return h(x, -1)",
        "def f(x): return [g(row) for row in x]\ng = torch.softmax",
        "from torch import softmax\ng = softmax\ndef softmax(x): return g(x, -1)\nf = softmax",
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
        "def f(x):\n    y = x.exp()\n    return y\ny = x.softmax(-1)",
        "def f(x): return x.exp()\nfor x in y: assert same(f(x), x.softmax(-1))",
        "def f(x): return x.exp()\ndef test():\n    x = g()\n    assert f(x) == x.softmax(-1)",
        "def f(x): return x.exp() / z\n[(f(z), z.softmax(-1)) for z in torch.ones(2)]",
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
