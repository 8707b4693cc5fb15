"""The two homes of a widget, and what both promise."""

import json
import os
import subprocess
import sys

import pytest
import torch

from transformer_lab.widgets import AttentionStepper, OneHead, _page
from transformer_lab.widgets._learner import Trouble, answer


def in_static_home(code):
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"TRANSFORMER_LAB_STATIC": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_slider_that_is_not_there_is_named():
    with pytest.raises(TypeError, match="'dk'"):
        AttentionStepper(dk=4)


def test_a_moved_slider_brings_one_new_frame_with_its_parameters():
    widget = AttentionStepper()
    frames = []
    widget.observe(lambda change: frames.append(change.new), "frame")
    widget.d_k = 64
    assert [frame["d_k"] for frame in frames] == [64]
    widget.head = 2
    assert len(frames) == 1, "the frame holds every head"


def test_the_static_home_is_plain_html_and_opens_no_comm():
    shown = in_static_home("""
import ipywidgets
from transformer_lab.widgets import AttentionStepper
widget = AttentionStepper(length=3)
print(isinstance(widget, ipywidgets.Widget), hasattr(widget, "_repr_mimebundle_"))
print(widget._repr_html_())
""")
    assert shown.startswith("False False")
    assert 'data-widget="attention_stepper"' in shown
    assert "&quot;length&quot;: 3" in shown
    assert f'alt="{AttentionStepper(length=3).told()}"' in shown


def test_a_function_of_the_learners_works_on_copies():
    given = torch.ones(2)
    assert torch.equal(answer(torch.Tensor.zero_, given, shape=(2,)), torch.zeros(2))
    assert torch.equal(given, torch.ones(2))


def test_what_is_too_large_for_float32_is_infinite():
    with pytest.raises(Trouble, match="2 of 2"):
        answer(huge, shape=(2,))


def huge():
    return torch.full((2,), 1e39, dtype=torch.double)


def test_no_word_of_a_learners_is_a_tag_on_the_page():
    words = ["</script>", "<!--", "<script>", "&amp;"]
    page = _page.place(OneHead(tokens=words))
    data = page.split('<script type="application/json">')[1].split("</script>")[0]
    assert "<" not in data
    assert words in json.loads(data)["axes"]["tokens"]
