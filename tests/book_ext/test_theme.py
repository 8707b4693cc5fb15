"""The theme, completed: a page's sections, to stand in the list of the book's pages."""

from docutils import nodes

from book._ext.theme import contents, words

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
