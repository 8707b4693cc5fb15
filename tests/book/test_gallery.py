"""The gallery shows every widget, and says what to try with each."""

import re

from tests.book.chapters import Chapter
from transformer_lab import widgets

GALLERY = Chapter("gallery")


def test_every_widget_is_shown_once():
    shown = [cell.source.splitlines()[-1] for cell in GALLERY.code]
    assert sorted(shown) == sorted(f"{name}()" for name in widgets.__all__)


def test_each_has_a_label_of_its_name_a_thing_to_try_and_the_section_it_is_from():
    kinds = [getattr(widgets, cell.source.splitlines()[-1][:-2]) for cell in GALLERY.code]
    labels = re.findall(r"^\(gallery-([\w-]+)\)=\n## ", GALLERY.prose, re.MULTILINE)
    assert labels == [kind.stem.replace("_", "-") for kind in kinds]
    told = re.findall(r"^\*\*Try\*\*: .+ From \[[^\]]+\]\([\w-]+\)\.$", GALLERY.prose, re.MULTILINE)
    assert len(told) == len(kinds)
