"""The book as one PDF: its links stay inside, and its list of contents tells the right pages."""

import io
import re
import subprocess
import sys
import unicodedata

import pytest

from book._ext import pdf
from tests.chromium import SITE
from tests.stated import as_stated

PAGE = """<link rel="stylesheet" href="../_static/a.css?v=1">
<article class="bd-article">{}</article>
<a rel="next" href="{}.html">"""
ONE = """<section id="one"><h1>One’s<a class="headerlink" href="#one">¶</a></h1><script>x()</script>
<section id="part"><h2>A <em>part</em><a class="headerlink" href="#part">¶</a></h2>
<details class="predict"><summary>Predict</summary></details>
<img loading="lazy" src="../_images/a.svg">
<a href="../exercises/two.html#part">there</a> <a href="#part">here</a> <a href="https://x.y/">out</a>
<a href="../notebooks/one.ipynb">notebook</a></section>
<h2>B<a class="headerlink" href="#b">¶</a></h2>
<h2>Why <math><mi>d</mi></math>?<a class="headerlink" href="#why">¶</a></h2></section>"""


@pytest.fixture
def site(tmp_path):
    for name, text in {
        "book/index": PAGE.format("first", "one"),
        "book/one": PAGE.format(ONE, "gallery"),
        "book/gallery": PAGE.format("widgets", "../exercises/two"),
        "exercises/two": '<article class="bd-article"><h1 id="part">Two</h1></article>',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.html").write_text(text, "utf8")
    return tmp_path


def test_pages_follow_each_other_as_they_are_read(site):
    assert [*pdf.pages(site)] == ["book/index", "book/one", "exercises/two"]


def test_links_inside_the_book_stay_inside(site):
    whole = pdf.whole(site, {"book/one--part": 7})
    links = re.findall(r'<a href="([^"]+)">(there|here|out|notebook)', whole)
    there, here, out, notebook = (to for to, _ in links)
    assert (there, here, out) == ("#exercises/two--part", "#book/one--part", "https://x.y/")
    assert notebook.startswith("https://")
    assert notebook.endswith("/notebooks/one.ipynb")
    for to in (there, here):
        assert whole.count(f'id="{to[1:]}"') == 1
    assert '<details class="predict" open>' in whole
    assert whole.count("../_static/a.css") == 1
    assert not re.search(r'<script|loading="lazy"', whole)


def plain(text):
    """Give the letters and digits; those of formulas as others."""
    return re.sub(r"<[^>]*>|\W|_", "", unicodedata.normalize("NFKC", text))


def bookmarks(outline):
    for one in outline:
        yield from bookmarks(one) if isinstance(one, list) else [one.title]


@pytest.mark.browser
@pytest.mark.slow  # the whole book is printed, twice
def test_the_printed_book_leads_where_it_says(tmp_path):
    from pypdf import PdfReader

    command = [sys.executable, "-m", "book._ext.pdf", str(SITE), str(tmp_path)]
    subprocess.run(command, check=True)  # beside whatever browser this process has
    (printed,) = tmp_path.glob("*.pdf")
    assert as_stated("The PDF", printed)
    reader = PdfReader(io.BytesIO(printed.read_bytes()))
    sections = pdf.contents(pdf.whole(SITE, {}).partition("<main")[2])
    numbers = pdf.numbers_in(printed.read_bytes())
    listed = " ".join(plain(page.extract_text()) for page in reader.pages[1:5])
    marked = [*bookmarks(reader.outline)]
    assert len(sections) > 80
    for section in sections:
        number = numbers[section.id]
        text, title = plain(reader.pages[number - 1].extract_text()), plain(section.title)
        assert title in text, f"{section.title} is not on page {number}"
        assert re.search(rf"{title}{number}(?!\d)", listed), section.title
        if "<math" not in section.title:
            assert section.title in marked, "no bookmark, or its words run together"
    titles = [section for section in sections if section.level == 1]
    ends = [*(numbers[section.id] for section in titles[1:]), len(reader.pages) + 1]
    for section, end in zip(titles, ends, strict=True):
        for page in reader.pages[numbers[section.id] - 1 : end - 1]:
            assert plain(section.title) in plain(page.extract_text()), "no running head"
    links = [
        annotation.get_object() for page in reader.pages for annotation in page.get("/Annots", [])
    ]
    outside = {link["/A"]["/URI"] for link in links if "/URI" in link.get("/A", {})}
    assert all(to.startswith(("https://", "http://")) for to in outside), "leads into a folder"
    assert len(links) > 500
    assert all(page.extract_text().strip() or page.images for page in reader.pages), "an empty page"
