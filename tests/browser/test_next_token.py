"""Next token on the static page: bars, texts and cross-attention are what torch computes."""

import itertools

import pytest
import torch

from tests.browser.canvas import alpha
from tests.sweeps import few
from transformer_lab.widgets import NextToken
from transformer_lab.widgets.next_token import BEGINNINGS, DICE, chosen, probabilities, tree, walk

GRID = NextToken.grid()
SET = """(el, at) => {
    const { model } = transformerLab.mounted.get(el);
    for (const name in at) model.set(name, at[name]);
    model.save_changes();
}"""


def expect_torch(widget, *, model, beginning, rule, throw, written, layer, head):
    """Compare everything that is drawn at some place with torch."""
    source, nodes, rivals = tree(model, beginning)
    whole = walk(nodes, rule, DICE[throw - 1])
    path = whole[: written + 1]
    node = nodes[path[-1]]
    after = probabilities(node.logits, *rule)
    before = node.logits.softmax(-1) * (1 - round(node.others, 3))
    bars = widget.locator("ol li")
    assert bars.locator("span").all_text_contents() == node.names
    widths = "all => all.map(bar => parseFloat(bar.style.width) / 100)"
    drawn = torch.tensor(bars.locator("i > i").evaluate_all(widths)).double()
    torch.testing.assert_close(drawn, before, rtol=0, atol=1e-5)
    drawn = torch.tensor(bars.locator("b").evaluate_all(widths)).double()
    torch.testing.assert_close(drawn, after, rtol=0, atol=1e-5)
    cut = [text.endswith("cut") for text in bars.all_text_contents()]
    assert cut == (after == 0).tolist()
    assert widget.locator(".tl-story b").text_content() == node.text
    said = widget.locator(".tl-readout").inner_text()
    assert said.startswith(f"{int((after > 0).sum())} tokens can be chosen")
    pick = chosen(after, DICE[throw - 1][len(path) - 1])
    assert f"fall on “{node.names[pick]}”" in said
    assert widget.locator("li.tl-query span").text_content() == node.names[pick]
    texts = [f"{rival['text']} (log p = {rival['log']:g})" for rival in rivals]
    texts += [nodes[walk(nodes, rule, numbers)[-1]].text for numbers in DICE]
    assert widget.locator("dd").all_text_contents() == texts
    grid = widget.locator(".tl-map")
    assert grid.is_visible() == bool(source)
    if source:
        looks = torch.stack([nodes[at].looks[layer, head] for at in whole])
        picture = alpha(grid.locator("canvas")).int()
        assert torch.equal(picture, (255 * looks).round().int())
        assert grid.get_by_role("columnheader").all_inner_texts()[1:] == source


@pytest.mark.parametrize("model", few(["SmolLM2", "translator"], "translator"))
@pytest.mark.parametrize("beginning", few(BEGINNINGS, BEGINNINGS[0]))
@pytest.mark.parametrize("home", few(["http", "file"], "http"))
def test_wherever_the_controls_stand(widget_page, home, model, beginning):
    widget = widget_page("next_token", home=home)
    names = ("temperature", "top_k", "top_p")
    for number, rule in enumerate(itertools.product(*(GRID[name] for name in names))):
        if number % 7 == (home == "file"):
            at = dict(zip(names, rule, strict=True)) | {"model": model, "tokens": beginning.split()}
            more = {"throw": 1 + number % 3, "written": number % 9}
            more |= {"layer": number % 2, "head": number % 8}
            widget.evaluate(SET, at | more)
            expect_torch(widget, model=model, beginning=beginning, rule=rule, **more)


def test_what_only_the_translator_has_comes_with_it(widget_page):
    widget = widget_page("next_token")
    own = widget.locator(
        ", ".join(f"[data-name={n}]" for n in ("layer", "head", "silent", "order"))
    )
    for model, there in (("SmolLM2", False), ("translator", True), ("SmolLM2", False)):
        widget.get_by_role("radio", name=model).check()
        assert {row.is_visible() for row in own.all()} == {there}
        assert widget.locator("[data-name=written]").is_visible()
