"""Cells on a page: a proof is a mark beside its text, a source stands below its picture."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ExtensionError

from book._ext import cells
from book._ext.cells import Fold, Proved


def cell(source, *tags, shows=None, number=1):
    node = nodes.container(
        nb_element="cell_code", cell_metadata={"tags": list(tags)}, exec_count=number
    )
    node += nodes.container("", nodes.literal_block(source, source), nb_element="cell_code_source")
    if shows is not None:
        node += nodes.container("", shows, nb_element="cell_code_output")
    return node


def text(words):
    return nodes.paragraph("", words)


def dressed(*children, ran=True):
    document = new_document("page")
    document += nodes.section("", nodes.title("", "Title"), *children)
    told = {"page": {"exec_data": {"succeeded": ran}}}
    document.settings.env = SimpleNamespace(docname="page", nb_metadata=told)
    transform = cells.DressCells.__new__(cells.DressCells)
    transform.document = document
    transform.run()
    return document[0]


def html(node):
    body = []
    writer = SimpleNamespace(body=body)
    if isinstance(node, Fold):
        cells._visit_fold(writer, node)
    return re.sub(r"\s+", " ", "".join(body))


def test_a_proof_is_a_mark_beside_the_paragraph_before_it():
    section = dressed(text("Two and two are four."), cell("assert 2 + 2 == 4", "proof"))
    [_, proved] = section.children
    assert isinstance(proved, Proved)
    paragraph, mark = proved.children
    assert paragraph.astext() == "Two and two are four."
    assert mark.astext().endswith("assert 2 + 2 == 4")
    assert html(mark).startswith('<details class="tl-fold tl-proof"><summary>computed<span')
    assert "the proof of “Two and two are four.”</span></summary>" in html(mark)


def test_the_proof_of_a_prediction_does_not_tell_the_answer():
    opening = "<details class='predict'><summary>Predict: d<sub>k</sub>?</summary>"
    raw = [nodes.raw("", html, format="html") for html in (opening, "</details>")]
    section = dressed(raw[0], text("Eight."), raw[1], cell("assert 8", "proof"))
    assert section.children[-1]["about"] == "the proof of “Predict: dk?”"


@pytest.mark.parametrize(
    ("source", "number", "ran", "said"),
    [
        ("print(1)", 1, True, "asserts nothing: “print(1)”. Add an `assert`"),
        ("assert True", None, True, "did not run without error: “assert True”"),
        ("assert True", 1, False, "did not run without error"),
    ],
)
def test_what_proves_nothing_is_no_proof(source, number, ran, said):
    with pytest.raises(ExtensionError, match=re.escape(said)):
        dressed(text("So."), cell(source, "proof", number=number), ran=ran)


def test_what_a_page_needs_and_takes_is_one_line_that_unfolds():
    need, aim, time = (
        nodes.paragraph("", "", nodes.Text(""), nodes.strong("", begin), nodes.Text(rest))
        for begin, rest in (
            ("You need", " some Python."),
            ("Afterwards you can", " write it."),
            ("Time", ": an hour; two with the exercise."),
        )
    )
    between = text("On the ladder.")
    [_, fold, left, last] = dressed(need, between, aim, time, text("It begins.")).children
    assert fold["label"].endswith(": an hour")
    assert fold.children == [need, aim, time]
    assert [left, last.astext()] == [between, "It begins."]


def test_the_first_proof_of_a_page_says_what_its_mark_means():
    section = dressed(
        text("One."), cell("assert 1", "proof"), text("Two."), cell("assert 2", "proof")
    )
    first, second = (
        [mark["refuri"] for mark in proved.findall(nodes.reference)] for proved in section[1:]
    )
    assert [first, second] == [["how_tested.html"], []]
