"""The page with one whole model, and the lines by which other chapters point at its ladder."""

import ast
import re

import pytest

from tests.book.chapters import BOOK, STEMS, Chapter
from tools import gpt_ladder as tool
from transformer_lab.widgets.gpt_ladder import RUNGS, mean

PAGE = Chapter("whole_model")
LINE = re.compile(r"^\*\*On the \[ladder\]\(#whole_model-ladder\)\*\*.*: .+$", re.MULTILINE)
POINTED = {
    stem: found[0]
    for stem in STEMS
    if (found := LINE.findall((BOOK / f"{stem}.md").read_text("utf8")))
}


def test_each_way_to_break_it_is_one_line_of_the_program_and_is_the_one_recorded():
    (cell,) = [cell for cell in PAGE.code if cell.source.startswith("ways = {")]
    ways = ast.literal_eval(cell.source.removeprefix("ways = "))
    assert [*ways] == [*tool.WAYS]
    for name, way in ways.items():
        edited = tool.edited(tool.SOURCE, tool.WAYS[name])
        assert tool.SOURCE.replace(*way) == edited
        assert (edited == tool.SOURCE) == (name == "whole")


def test_the_program_fits_its_page():
    lines = [line for line in tool.SOURCE.splitlines() if line.strip()]
    assert len(lines) <= 122
    assert max(map(len, lines)) <= 77


def test_the_chapters_that_build_a_rung_name_it():
    assert {"attention", "positional_encoding", "norm", "full_model"} <= POINTED.keys()


@pytest.mark.parametrize("stem", POINTED)
def test_the_losses_beside_a_chapters_rung_are_those_of_the_ladder(stem):
    told = re.findall(r"([a-z][a-z -]+?) (\d\.\d\d)", POINTED[stem].replace("*", ""))
    assert told == [(rung, f"{mean(rung):.2f}") for rung, _ in told]
    places = [RUNGS.index(rung) for rung, _ in told]
    assert places == [*range(places[0], places[-1] + 1)]
