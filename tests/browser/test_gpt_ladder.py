"""The ladder, on the static page: a click shows a rung's code, its loss and its text."""

from transformer_lab.widgets.gpt_ladder import RUNGS, marked, mean, recorded

STEM = "gpt_ladder"


def test_each_rung_is_a_click_and_shows_what_was_recorded(widget_page):
    widget = widget_page(STEM)
    for rung in RUNGS:
        widget.get_by_role("radio", name=rung, exact=True).check()
        new = [line for line in marked(rung) if line[0] == "+"]
        shown = map(str.rstrip, widget.locator(".tl-new").all_text_contents())
        assert [*shown] == [" ".join(line).rstrip() for line in new]
        written = widget.locator(".tl-wrote").inner_text()
        assert written.strip() == recorded()[rung]["text"].strip()
        assert f"Held-out loss {mean(rung):.2f}" in widget.locator(".tl-summary").inner_text()
        assert widget.locator(".tl-chosen text").first.text_content() == rung


def test_every_seed_is_a_point(widget_page):
    widget = widget_page(STEM)
    points = widget.locator(".tl-ladder circle")
    across = [float(point.get_attribute("cx")) for point in points.all()]
    losses = [loss for run in recorded().values() for loss in run["held_out"]]
    assert len(across) == len(losses)
    order = sorted(range(len(losses)), key=losses.__getitem__)
    assert [across[n] for n in order] == sorted(across)
