"""What a notebook shows of the package."""

import ast
import inspect
import re

import pytest
import torch
from torch import nn

import transformer_lab as lab
from lab_notebooks.sources import sources
from transformer_lab import scaled_dot_product_attention, show
from transformer_lab.positional_encoding import position_angles


def test_source_is_code_that_compiles_to_the_same_thing():
    text = show.source(scaled_dot_product_attention).data
    listing = text.split("```")[1].removeprefix("python\n")
    assert listing.startswith("def scaled_dot_product_attention(q, k, v, mask=None):\n")
    assert listing.endswith("return weights @ v, weights  # (..., T, K_v), (..., T, S)\n")
    assert not re.search('"""|check_|jaxtyping|Tensor', listing)
    assert re.search(r"\(https://.*/transformer_lab/attention\.py#L\d+\)$", text)


def test_source_of_something_without_source(as_readers_run_it):
    with pytest.raises(TypeError, match="<built-in function len>"):
        show.source(len)
    with pytest.raises(TypeError, match="but was given 3"):
        show.source(3)


X, FIRST = torch.randn(2, 3, 8, generator=torch.Generator().manual_seed(0)), torch.arange(3)[None]
CAUSAL, SIZES = lab.causal_mask(3), dict(d_model=8, heads=4)


def with_seed(make):
    torch.manual_seed(0)
    return make()


def ran(kind, *given, **sizes):
    return with_seed(lambda: kind(**sizes))(*given)


def weights_of(initialise):
    module = with_seed(lambda: nn.Sequential(nn.Linear(3, 4), nn.Embedding(5, 4)))
    with_seed(lambda: module.apply(initialise))
    return [*module.parameters()]


GROUPED = with_seed(lambda: lab.GroupedQueryAttention(**SIZES, kv_heads=2))
ROTARY = with_seed(lambda: lab.MultiHeadAttention(**SIZES, positions=lab.RotaryPositions()))
TIED = with_seed(
    lambda: lab.TiedOutput(
        lab.Embeddings(tokens=nn.Embedding(9, 8), positions=lab.NoPositions(d_model=8))
    )
)
RADIANS = position_angles(torch.arange(3), 8, 100.0)

#: What a chapter shows, and what it computes: for the package's own and for what is pasted.
SHOWN = {
    "scaled_dot_product_attention": lambda f: [f(X, X, X, CAUSAL), f(X, X[:1], X)],
    "AttentionHead": lambda f: [ran(f, X, X[:, 1:], d_model=8, d_k=4, d_v=3)],
    "causal_mask": lambda f: [f(4), f(2, past=3)],
    "sliding_window_mask": lambda f: [f(4, window=2), f(2, window=3, past=3)],
    "fused_attention": lambda f: [f(X, X, X, CAUSAL), f(X, X[:1], X)],
    "split_heads": lambda f: f(X, 4),
    "merge_heads": lambda f: f(lab.split_heads(X, 4)),
    "MultiHeadAttention.forward": lambda f: [
        f(ROTARY, X, None, CAUSAL),
        f(ROTARY, X, X[:, :2]),
        f(ROTARY, X, cache=lab.Cache()),
    ],
    "MultiHeadAttention.project": lambda f: [f(ROTARY, X), f(ROTARY, X, start=5)],
    "MultiHeadAttention.attend": lambda f: [
        f(ROTARY, *ROTARY.project(X), CAUSAL, need_weights=need)[0] for need in (True, False)
    ],
    "GroupedQueryAttention.attend": lambda f: [
        f(GROUPED, *GROUPED.project(X), CAUSAL, need_weights=need)[0] for need in (True, False)
    ],
    "separate_heads": lambda f: [head(X) for head in f(GROUPED)],
    "layer_norm": lambda f: f(X, X[0, 0], X[0, 1], 0.1),
    "rms_norm": lambda f: f(X, X[0, 0], 0.1),
    "PostNorm": lambda f: f(norm=nn.LayerNorm(8))(X, torch.sin),
    "PreNorm": lambda f: f(norm=nn.LayerNorm(8))(X, torch.sin),
    "FeedForward": lambda f: ran(f, X, d_model=8),
    "position_angles": lambda f: f(FIRST, 8, 100.0),
    "sinusoidal_encoding": lambda f: f(FIRST, 7),
    "SinusoidalPositions": lambda f: ran(f, X, FIRST, d_model=8),
    "LearnedPositions": lambda f: ran(f, X, FIRST, d_model=8, max_length=3),
    "rotate_pairs": lambda f: f(X, RADIANS),
    "rotate_halves": lambda f: f(X, RADIANS),
    "RotaryPositions": lambda f: [f(base=100.0)(X, X), f()(X, X, 7)],
    "ALiBi": lambda f: f()(X, X, 4),
    "ScaledEmbedding": lambda f: ran(lambda: f(9, 4), FIRST),
    "TiedOutput.forward": lambda f: f(TIED, X),
    "initialise_xavier": weights_of,
    "initialise_normal": weights_of,
    "Cache.project": lambda f: [
        f(cache, ROTARY, X, memory)
        for memory in (None, X[:, :2])
        for cache in [lab.Cache()]
        for _ in range(2)
    ],
    "Cache.extend": lambda f: [f(cache, None, X, X) for cache in [lab.Cache()] for _ in range(2)],
}


def pasted(name):
    thing = find(name)
    module = inspect.getmodule(inspect.unwrap(thing))
    imports = [node for node in ast.parse(inspect.getsource(module)).body
               if isinstance(node, ast.Import | ast.ImportFrom)]  # fmt: skip
    names = {}
    exec("\n".join(map(ast.unparse, imports)), names)
    names |= {own: getattr(lab, own) for own in lab.__all__ if own not in names}
    names |= {"position_angles": position_angles}
    names = {own: value for own, value in names.items() if not own.startswith(("check_", "_"))}
    listing = show.source(thing).data.split("```")[1].removeprefix("python\n")
    kind = name.partition(".")[0]
    exec(listing.replace("super()", f"super({kind}, self)") if "." in name else listing, names)
    return names[name.rpartition(".")[2]]


def find(name):
    if name == "position_angles":
        return position_angles
    thing = lab
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


@pytest.mark.parametrize("name", SHOWN)
def test_what_a_chapter_shows_runs_and_equals_the_packages(as_readers_run_it, name):
    own, shown = SHOWN[name](find(name)), SHOWN[name](pasted(name))
    torch.testing.assert_close(shown, own, rtol=0, atol=0)


@pytest.mark.parametrize("name", SHOWN)
def test_no_comment_breaks_a_shape_over_two_lines(name):
    comments = re.findall(r"^ *# (.*)", show.source(find(name)).data, re.MULTILINE)
    assert all(line.count("(") == line.count(")") for line in comments)


def shown_by(chapter):
    text = sources()[f"book/{chapter}"].read_text("utf8")
    return [name.removeprefix("lab.") for name in re.findall(r"show\.source\(([\w.]+)\)", text)]


def test_every_listing_of_the_book_is_tried():
    names = {name.removeprefix("book/") for name in sources() if name.startswith("book/")}
    assert {shown for chapter in names for shown in shown_by(chapter)} <= SHOWN.keys()


def cells(table):
    rows = re.findall(r"<tr>(.*?)</tr>", table.data)
    return [re.findall(r"<t[hd] [^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_table_writes_each_kind_of_value():
    table = show.table(
        ["a < b", "n", "x", "ok"], [["one", 1234, 2.34567, True], [2, 0, 0.5, False]]
    )
    assert cells(table) == [
        ["a &lt; b", "n", "x", "ok"],
        ["one", "1,234", "2.35", "yes"],
        ["2", "0", "0.5", "no ✗"],
    ]


def test_table_names_its_rows_and_columns_for_screen_readers():
    table = show.table(["a", "b"], [["one", 1], ["two", 2]])
    assert len(re.findall("<th scope=col ", table.data)) == 2
    assert len(re.findall("<th scope=row ", table.data)) == 2
