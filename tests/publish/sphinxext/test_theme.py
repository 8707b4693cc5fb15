"""The theme, completed: a page's sections, to stand in the list of the book's pages."""

from transformer_lab.publish.sphinxext.theme import coloured, contents

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


def test_a_page_without_sections_lists_none():
    assert contents('<ul>\n<li><a class="reference internal" href="#">Norm</a></li>\n</ul>\n') == ""


def test_roles_have_their_colours_in_comments():
    assert coloured("# over queries, not keys") == (
        '# over <span class="tl-query">queries</span>, not <span class="tl-key">keys</span>'
    )
    assert coloured("# key_padding_mask, valued") == "# key_padding_mask, valued"
