"""The training playback on the static page: what is drawn and said is what was recorded."""

import pytest
import torch

from tests.browser.canvas import alpha
from tests.browser.test_position_explorer import line
from tests.sweeps import few
from transformer_lab.widgets.training_playback import HEADS, STEPS, WORD, recorded

STEM = "training_playback"
OPACITY = "lines => lines.map((line) => Number(line.getAttribute('opacity')))"
READ = ["start", *(2 * WORD)[:-1]]


def expect_recorded(widget, step, head):
    """Compare map, guesses, curves and words with the recording."""
    at, record = STEPS.index(step), recorded()
    weights = record.weights[at][HEADS.index(head)]
    drawn = alpha(widget.locator(".tl-canvas")).float()
    torch.testing.assert_close(drawn, 255 * weights, rtol=0, atol=0.51)
    guesses = widget.locator(".tl-guessed div").nth(1)
    assert guesses.locator(":not(:first-child)").all_inner_texts() == record.guesses[at]
    right = [g for g, letter in zip(record.guesses[at], 2 * WORD, strict=True) if g == letter]
    assert guesses.locator("b").all_inner_texts() == right
    losses = widget.locator(".tl-chart")
    x = torch.tensor(STEPS) / STEPS[-1]
    for chart, number, curve, high in [
        (losses, 0, record.loss, 4), (losses, 1, record.known_loss, 4),
    ]:  # fmt: skip
        expected = torch.stack([x, torch.tensor(curve) / high], -1)
        torch.testing.assert_close(line(chart, number), expected, rtol=0, atol=1e-3)
        mark = float(chart.locator(".tl-mark").get_attribute("x1"))
        assert (mark - 44) / 286 == pytest.approx(step / STEPS[-1], abs=1e-3)
    said = widget.locator(".tl-summary").inner_text()
    assert f"After {step} steps the loss is {record.loss[at]:.2f}" in said
    return weights


@pytest.mark.parametrize("home", few(["http", "file"], "http"))
@pytest.mark.parametrize("head", few(HEADS, HEADS[-1]))
def test_every_head_at_the_beginning_in_the_middle_and_at_the_end(widget_page, home, head):
    widget = widget_page(STEM, home=home)
    widget.get_by_role("radio", name=head).check()
    expect_recorded(widget, 200, head)
    slider = widget.get_by_role("slider", name="Training step")
    for key, step in [("Home", 0), ("ArrowRight", 5), ("End", 200)]:
        slider.press(key)
        expect_recorded(widget, step, head)


def test_a_chosen_cell_tells_what_was_read_guessed_and_seen_before(widget_page):
    widget = widget_page(STEM, fragment=f"#{STEM}:step=200")
    weights = expect_recorded(widget, 200, HEADS[2])
    readout = widget.locator(".tl-readout")
    told = readout.inner_text()
    assert told.startswith("Having read start c a t f i s h c, the model guesses a, and a comes.")
    percent = round(100 * round(weights[8, 2].item() * 255) / 255)
    assert f"layer 1, head 0 gives a (place 3) {percent}\u00a0% of its attention." in told
    assert told.endswith("c has been there before, at place 2, and a followed it.")
    widget.get_by_role("gridcell").nth(2 * 14 + 1).click()
    told = readout.inner_text()
    assert told.startswith("Having read start c a, the model guesses")
    assert "but t comes." in told
    assert "before" not in told


@pytest.mark.parametrize("step", [0, 200])
def test_both_layers_are_drawn_with_the_two_steps_behind_a_guess(widget_page, step):
    widget = widget_page(STEM, fragment=f"#{STEM}:step={step}")
    widget.get_by_role("gridcell").nth(8 * 14).click()
    each = (255 * recorded().weights[STEPS.index(step)]).round() / 255
    first, second = each[:2].amax(0), each[2:].amax(0)
    found = second[8].argmax().item()
    flow = widget.locator(".tl-flow")
    for layer, (rows, place) in enumerate([(first, found), (second, 8)]):
        drawn = flow.locator(f".tl-step-{layer}").evaluate_all(OPACITY)
        expected = rows[place][rows[place] >= 0.04]
        torch.testing.assert_close(torch.tensor(drawn), expected)
    both = (first >= 0.04).sum() + (second >= 0.04).sum()
    assert flow.locator("line").count() == both
    told = widget.locator(".tl-two-steps p").inner_text()
    assert f"Layer 1: c (place 9) looks most at {READ[found]} (place {found + 1})" in told


def test_play_runs_to_the_end_pauses_and_begins_again(widget_page):
    widget = widget_page(STEM, fragment=f"#{STEM}:step=190")
    clock, value = widget.page.clock, widget.locator("[data-name=step] output")
    clock.install(time=0)
    clock.pause_at(60)  # from here on it moves when told to, however busy the machine is
    play = widget.locator(".tl-play")
    play.click()
    assert play.inner_text() == "Pause"
    assert play.get_attribute("aria-pressed") is None, "its name says it"
    clock.run_for(350)
    assert value.inner_text() == "195"
    play.click()
    clock.run_for(3500)
    assert value.inner_text() == "195"
    play.click()
    clock.run_for(3500)
    assert value.inner_text() == "200"
    assert play.inner_text() == "Play"
    play.click()
    clock.run_for(350)
    assert value.inner_text() == "5"
