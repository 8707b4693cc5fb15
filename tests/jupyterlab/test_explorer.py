"""The explorer with a kernel behind it: sliders, picture and Python say the same, always."""

import os

import pytest
from playwright.sync_api import expect

from tests.browser.axe import complaints
from tests.browser.test_attention_explorer import GRID, LABELS, START, expect_torch

CHAPTER = "book/attention.ipynb"
FIND = "next(w for w in Out.values() if type(w).__name__ == 'AttentionExplorer')"


@pytest.fixture(scope="module")
def chapter(open_notebook):
    """The chapter, opened by a learner who then runs every cell."""
    notebook = open_notebook(CHAPTER)
    notebook.run_all()
    notebook.kernel.run(f"_explorer = {FIND}")
    return notebook


@pytest.fixture
def explorer(chapter):
    """The explorer as it starts, in view."""
    widget = chapter.page.locator(".tl-attention-explorer").first
    widget.scroll_into_view_if_needed()
    widget.get_by_role("button", name="Reset").click()
    stands(widget, chapter, **START)
    return widget


def stands(widget, chapter, **state):
    """Wait for the frame, then compare sliders, picture, and the kernel's traits."""
    state = START | state
    for name, label in LABELS.items():
        slider = widget.get_by_role("slider", name=label)
        expect(slider).to_have_attribute("aria-valuetext", str(state[name]))
    expect(widget.locator(".tl-body")).to_have_attribute("aria-busy", "false")
    expect_torch(widget, **state)
    chapter.kernel.comes_to(f"{{n: getattr(_explorer, n) for n in {list(state)}}}", state)


def test_every_cell_of_the_chapter_runs_without_a_complaint(chapter):
    assert chapter.errors() == []
    prompts = chapter.page.locator(".jp-CodeCell .jp-InputPrompt").all_text_contents()
    shown = [prompt for prompt in prompts if prompt]  # a folded cell shows none
    assert len(shown) > 5
    assert all(prompt.strip("[]:").isdigit() for prompt in shown), prompts


@pytest.mark.parametrize("name", LABELS)
def test_each_stop_of_each_slider_by_keyboard(chapter, explorer, name):
    slider = explorer.get_by_role("slider", name=LABELS[name])
    slider.press("Home")
    for stop in GRID[name]:
        stands(explorer, chapter, **{name: stop})
        slider.press("ArrowRight")


@pytest.mark.parametrize("name", LABELS)
def test_each_slider_by_pointer(chapter, explorer, name):
    box = explorer.get_by_role("slider", name=LABELS[name]).bounding_box()
    middle = box["y"] + box["height"] / 2
    mouse = chapter.page.mouse
    mouse.move(box["x"] + box["width"] / 2, middle)
    mouse.down()
    for target, stop in [(1, GRID[name][-1]), (0, GRID[name][0])]:
        mouse.move(box["x"] + box["width"] * target + (2 * target - 1) * 5, middle, steps=5)
        stands(explorer, chapter, **{name: stop})
    mouse.up()


def test_the_switch_and_reset(chapter, explorer):
    explorer.get_by_role("checkbox", name="divide by √d_k").uncheck()
    stands(explorer, chapter, scaled=False)
    explorer.get_by_role("button", name="Reset").click()
    stands(explorer, chapter)


def test_python_moves_the_sliders(chapter, explorer):
    for name, stop in {"d_k": 64, "heads": 2, "length": 9}.items():
        chapter.kernel.run(f"_explorer.{name} = {stop}")
        expect(explorer.get_by_role("slider", name=LABELS[name])).to_have_attribute(
            "aria-valuetext", str(stop)
        )
    stands(explorer, chapter, d_k=64, heads=2, length=9)


def test_jupyterlab_leaves_the_arrow_keys_to_a_slider(chapter, explorer):
    slider = explorer.get_by_role("slider", name=LABELS["d_k"])
    slider.click()
    slider.press("Home")
    where = """() => [
        [...document.querySelectorAll(".jp-Notebook .jp-Cell")]
            .findIndex(cell => cell.classList.contains("jp-mod-active")),
        document.querySelector(".jp-WindowedPanel-outer").scrollTop,
    ]"""
    before = chapter.page.evaluate(where)
    for key in ("ArrowUp", "ArrowDown", "ArrowUp", "ArrowUp"):
        slider.press(key)
    stands(explorer, chapter, d_k=GRID["d_k"][2])
    assert chapter.page.evaluate(where) == before
    assert slider.evaluate("slider => slider === document.activeElement")


def test_jupyterlab_leaves_the_arrow_keys_to_the_grid(chapter, explorer):
    explorer.get_by_role("gridcell").nth(0).click()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp"):
        chapter.page.keyboard.press(key)
    expect(explorer.locator(".tl-readout")).to_contain_text("Query The meets key sat")


def test_ctrl_s_on_a_slider_saves_and_leaves_it_the_arrow_keys(chapter, explorer):
    slider = explorer.get_by_role("slider", name=LABELS["d_k"])
    slider.press("Home")
    before = chapter.file.stat().st_mtime_ns
    chapter.page.locator(".jp-mod-current.jp-mod-dirty").wait_for()
    slider.press("Control+s")
    chapter.wait_until_saved()
    assert chapter.file.stat().st_mtime_ns > before
    slider.press("ArrowDown")
    slider.press("ArrowRight")
    stands(explorer, chapter, d_k=GRID["d_k"][1])


def test_a_slider_moved_while_a_cell_runs_is_not_lost(chapter, explorer, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    finish = chapter.kernel.start(f"open({str(gate)!r}).read()")
    with gate.open("w"):  # opens when the cell has begun, and then lets it end
        slider = explorer.get_by_role("slider", name=LABELS["d_k"])
        slider.press("End")
        assert slider.get_attribute("aria-valuetext") == "64", "its own number does not wait"
        slider.press("ArrowLeft")
    finish()
    stands(explorer, chapter, d_k=32)


def test_two_views_stay_in_step_and_a_closed_one_listens_no_more(chapter, explorer):
    page = chapter.page
    explorer.locator(".tl-spread").click(button="right")
    page.locator('.lm-Menu-item[data-command="notebook:create-output-view"]').click()
    views = page.locator(".tl-attention-explorer")
    expect(views).to_have_count(2)
    second = page.locator(".jp-LinkedOutputView .tl-attention-explorer")
    second.get_by_role("slider", name=LABELS["d_k"]).press("End")
    stands(explorer, chapter, d_k=64)
    stands(second, chapter, d_k=64)
    identities = [s.get_attribute("id") for s in page.get_by_role("slider").all()]
    assert len(set(identities)) == len(identities)
    closed = second.element_handle()
    page.locator(".lm-TabBar-tab", has_text="Output View").locator(
        ".lm-TabBar-tabCloseIcon"
    ).click()
    expect(views).to_have_count(1)
    explorer.get_by_role("slider", name=LABELS["d_k"]).press("Home")
    stands(explorer, chapter, d_k=1)
    assert closed.eval_on_selector("output", "output => output.textContent") == "64"


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_axe_finds_nothing_in_either_theme(chapter, explorer, theme):
    page = chapter.page
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.locator(".lm-Menu-item", has_text="Theme").first.hover()
    page.locator(".lm-Menu-item", has_text=f"JupyterLab {theme}").first.click()
    is_light = str(theme == "Light").lower()
    page.locator(f'body[data-jp-theme-light="{is_light}"]').wait_for(state="attached")
    explorer.scroll_into_view_if_needed()
    found = complaints(page, ".tl-attention-explorer", dark=theme == "Dark")
    assert not found, found
    stands(explorer, chapter)
