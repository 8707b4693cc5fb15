"""benchmarks.pages weighs what a reader's browser loads, once, and each file as what it is."""

import gzip
from random import Random

import pytest

from benchmarks import pages
from benchmarks.static import served

WIDGET = """<div data-widget="one"></div><script>
setTimeout(() => {
    const script = document.createElement("script");
    script.src = "../_static/transformer_lab/one.data.js";
    document.body.append(script);
}, 200)</script>"""


@pytest.fixture
def little_site(tmp_path):
    ours = tmp_path / "_static/transformer_lab"
    ours.mkdir(parents=True)
    draw = "document.querySelector('[data-widget]').innerHTML = '<i class=tl-numbers>1</i>'"
    (ours / "one.data.js").write_text(draw)
    (ours / "host.js").write_text("// " + "h" * 5000)
    (tmp_path / "_static/theme.css").write_text("i { color: red; }")
    head = (
        "<link rel=icon href=data:,><link rel=stylesheet href=../_static/theme.css>"
        "<script src=../_static/transformer_lab/host.js></script>"
    )
    (tmp_path / "index.html").touch()
    (tmp_path / "book").mkdir()
    (tmp_path / "book/text.html").write_text(f"{head}<p>words")
    (tmp_path / "book/widget.html").write_text(head + WIDGET)
    (tmp_path / "book/folded.html").write_text(f"{head}<details>{WIDGET}</details>")
    return tmp_path


@pytest.mark.browser
def test_all_that_a_page_loads_is_counted_and_its_data_too(chromium, little_site):
    with served(little_site) as address:
        text, widget, folded = (
            pages.files(chromium, address, f"book/{name}.html")
            for name in ("text", "widget", "folded")
        )
    shared = {"_static/theme.css", "_static/transformer_lab/host.js"}
    assert text == shared | {"book/text.html"}
    assert widget == shared | {"book/widget.html", "_static/transformer_lab/one.data.js"}
    assert folded == widget - {"book/widget.html"} | {"book/folded.html"}  # nobody waits for it
    assert {pages.kind(path) for path in widget} == {*pages.KINDS}


@pytest.mark.browser
def test_a_chapter_s_first_picture_is_looked_for_below_icons_and_folds(chromium, little_site):
    icon, picture = (f'<svg width="{w}" height="{w}"></svg>' for w in (20, 200))
    fold = f"<details><summary>Deep</summary>{picture}</details>"
    text = f'<body style="margin:0"><article>{icon}{fold}<p style="height:500px"></p>{picture}'
    (little_site / "book/norm.html").write_text(text)
    with served(little_site) as address:
        stem, *counts, first = pages.length(chromium, address, "norm")
    assert stem == "norm"
    assert 500 < int(first) < 600
    words, all_words, minutes, _, proofs = (int(n.replace(",", "")) for n in counts)
    assert 0 < words < all_words
    assert minutes == round(words / pages.PACE)
    assert proofs > 20


def test_data_are_weighed_apart_from_all_the_rest(tmp_path):
    sizes = {
        "book/a.html": 1,
        "_static/transformer_lab/host.js": 2,
        "_static/transformer_lab/fonts.woff2": 4,
        "_static/transformer_lab/one.data.js": 8,
    }
    for name, size in sizes.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(random_bytes(1000 * size))
    assert pages.weights(tmp_path, sizes) == ["1", "2", "4", "7", "8"]


def test_a_file_weighs_what_a_host_sends(tmp_path):
    (tmp_path / "zeros").write_bytes(bytes(10_000))
    assert pages.packed(tmp_path / "zeros") == len(gzip.compress(bytes(10_000), mtime=0)) < 100


def random_bytes(count):
    """Give bytes that no compression makes fewer."""
    return Random(count).randbytes(count)
