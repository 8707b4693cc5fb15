"""The theme, completed: a page's sections, to stand in the list of the book's pages."""

from docutils import nodes

from book._ext.theme import (
    below_tables,
    coloured,
    contents,
    description,
    words,
)

TOC = """<ul>
<li><a class="reference internal" href="#">Norm</a><ul>
<li><a class="reference internal" href="#why">Why</a><ul>
<li><a class="reference internal" href="#so">So</a></li>
</ul>
</li>
<li><a class="reference internal" href="#how">How</a></li>
</ul>
</li>
</ul>
"""


def test_the_sections_of_a_page_are_listed_without_its_title():
    listed = contents(TOC)
    assert listed.startswith(
        '<ul class="tl-contents">\n<li><a class="reference internal" href="#why"'
    )
    assert listed.count("<ul") == listed.count("</ul>") == 2
    assert "Norm" not in listed


def html(text):
    return nodes.raw("", text, format="html")


def test_words_are_what_a_reader_with_scripts_reads():
    parts = [html("<b>"), nodes.Text("d"), html("<sub>"), nodes.Text("k"), html("</sub></b>")]
    assert words(nodes.paragraph("", "", *parts)) == "dk"
    parts = [html("<noscript>"), html("<p>"), nodes.Text("No."), html("</p>"), html("</noscript>")]
    assert words(nodes.paragraph("", "", *parts, nodes.Text("\nYes."))) == "Yes."
    assert words(html("<noscript><p>No.</p></noscript>")) == ""


def test_a_page_is_not_described_by_what_it_says_without_scripts():
    without = nodes.Text("This picture moves in a browser that runs JavaScript.")
    fallback = nodes.paragraph("", "", html("<noscript>"), without, html("</noscript>"))
    text = nodes.paragraph("", "What stands below the picture is what it is about.")
    assert description(nodes.section("", fallback, text)) == text.astext()


def test_a_page_without_sections_lists_none():
    assert contents('<ul>\n<li><a class="reference internal" href="#">Norm</a></li>\n</ul>\n') == ""


def test_tables_of_the_first_screen_are_drawn_whole():
    table = '<h2 id="a"></h2><table id="b"></table><p></p><h2 class="x" id="c"></h2>'
    assert below_tables(table) == "c"
    assert below_tables(table + table.replace('"c"', '"d"')) == "d"
    assert below_tables("<p></p>" * 1000 + table) == ""
    assert below_tables('<h2 id="a"></h2><table></table>') == ""


def test_roles_have_their_colours_in_comments():
    assert coloured("# over queries, not keys") == (
        '# over <span class="tl-query">queries</span>, not <span class="tl-key">keys</span>'
    )
    assert coloured("# key_padding_mask, valued") == "# key_padding_mask, valued"
