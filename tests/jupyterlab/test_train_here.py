"""A GPT is trained in a notebook: the widget is the page's, and the kernel computes with torch."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import complaints
from tests.jupyterlab.notebook import PATIENCE


@pytest.fixture(scope="module")
def place(notebook):
    notebook.run("train = TrainHere")
    place = notebook.page.locator(".tl-train")
    place.scroll_into_view_if_needed()
    return place


def expect_in(place, part, text):
    expect(place.locator(f".tl-{part}")).to_contain_text(text, timeout=PATIENCE)


def held_out(place):
    return float(place.locator(".tl-legend").inner_text().split("loss ")[1].split()[0].rstrip("."))


def test_it_trains_with_torch_and_cells_run_in_between(notebook, place):
    place.get_by_role("button", name="Train").click()
    expect_in(place, "legend", "After 25 steps")
    assert notebook.kernel.value("1 + 1") == 2
    place.get_by_role("button", name="Pause").click()
    expect_in(place, "summary", "paused")
    place.get_by_role("button", name="Go on").click()
    expect_in(place, "legend", "After 60 steps")
    expect_in(place, "summary", "ended")
    expect_in(place, "cost", "PyTorch")
    assert held_out(place) < 3.2
    place.get_by_role("button", name="More").click()
    expect_in(place, "legend", "After 120 steps")
    assert notebook.errors() == []


@pytest.mark.slow  # the first trains too; what is done with a text or a file, the page asks
def test_a_text_of_ones_own_and_a_saved_model(notebook, place, tmp_path):
    place.get_by_role("radio", name="your own text").check()
    place.locator("textarea").fill("ten green bottles\n" * 200)
    place.locator(".tl-go").click()
    expect_in(place, "summary", "ended")
    before = held_out(place)
    assert notebook.kernel.value("''.join(train.training.vocabulary)") == "\n beglnorst"
    with notebook.page.expect_download() as download:
        place.get_by_role("button", name="Save the model").click()
    download.value.save_as(tmp_path / "gpt.safetensors")
    place.locator("input[type=file][accept]").last.set_input_files(tmp_path / "gpt.safetensors")
    expect_in(place, "legend", "After 0 steps")
    assert held_out(place) == before
    assert not complaints(notebook.page, ".tl-train")
