"""A GPT is trained on a page, under the book's policy: nothing comes before the button."""

import json
import re
import shutil

import pytest
from playwright.sync_api import expect
from safetensors.torch import load_file

from tests import train_page
from tests.browser.axe import complaints
from tests.browser.drivers import FIREFOX, SCREEN, WEBKIT, firefox, webkit
from tests.browser.test_laboratory import HASTE
from tests.browser.test_other_browsers import patiently
from tests.chromium import BEYOND, PATIENCE, SCREENS
from tests.page.train.reference import gpt

SHORT = "#train:size=24x2,steps=200"
LONGER = "#train:size=24x2,steps=1000"  # not at its end before a busy machine presses a button
OWN = "".join(f"{n} green bottles hanging on the wall,\n" for n in range(99, 0, -1))
DROP = """([field, content]) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "own.txt"));
    field.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("train")
    train_page.build(folder)
    return folder


@pytest.fixture
def train(open_page, folder):
    """Give a function that opens the page and gives the place where one trains."""

    def open_(fragment="", page="index", **options):
        opened = open_page(f"{folder.as_uri()}/{page}.html{fragment}", **options)
        place = opened.locator(".tl-train")
        place.locator(".tl-curves path").first.wait_for()
        return place

    return open_


def press(place, name):
    place.get_by_role("button", name=name).click()


def expect_in(place, part, text):
    expect(place.locator(f".tl-{part}")).to_contain_text(text, timeout=PATIENCE)


def learning(place):
    """Wait for its first steps; a busy machine may show others than the first."""
    expect(place.locator(".tl-legend")).to_contain_text(re.compile("After [1-9]"), timeout=PATIENCE)


def ended(place):
    expect_in(place, "summary", "ended")
    return place.locator(".tl-legend").inner_text()


def held_out(place):
    """Read the held-out loss."""
    return float(place.locator(".tl-legend").inner_text().split("loss ")[1].split()[0].rstrip("."))


def test_nothing_comes_before_the_button_and_then_it_learns_and_writes(train):
    place = train(SHORT)
    asked = []
    place.page.on("request", lambda request: asked.append(request.url.split("/")[-1]))
    button = place.locator(".tl-go")
    expect(button).to_contain_text("KB")
    button.click()
    assert "After 200 steps" in ended(place)
    assert held_out(place) < 2.5
    assert len(place.locator(".tl-written").inner_text()) > 100
    assert place.locator(".tl-written b").count() > 3
    stems = {name.split("-")[0] for name in asked if not name.startswith("blob") and "." in name}
    assert stems == {"worker", "kernels", "play"}
    expect(button).to_have_text("Train again")
    assert "parameters" in place.locator(".tl-cost").inner_text()

    before = held_out(place)
    press(place, "More")
    expect_in(place, "legend", "After 400 steps")
    assert held_out(place) < before


KEEP = """([name, code]) => {
    const kept = JSON.stringify({ code, given: "stub", before: [] });
    localStorage.setItem(`transformer-lab/1/${name}`, kept);
    dispatchEvent(new Event("storage"));
}"""
MASK = """
def causal_mask(length, past=0):
    return torch.ones(length, length, dtype=torch.bool)"""


def test_ones_own_mask_is_taken_over_wrong_and_then_right(open_page, served):
    page = open_page(f"{served}/book/whole_model.html#train:size=24x2,steps=100")
    place = page.locator(".tl-train")
    expect(place.get_by_role("link", name="causal_mask")).to_be_attached()
    page.evaluate(KEEP, ["masking-causal", MASK])
    place.get_by_role("checkbox", name="causal_mask").check()
    expect(place.get_by_label("Model")).to_be_disabled()
    expect(place.locator(".tl-go")).to_contain_text("Python")
    place.locator(".tl-go").click()
    expect_in(place, "found", "look ahead")
    ended(place)
    assert held_out(place) < 1

    page.evaluate(KEEP, ["masking-causal", f"{MASK}.tril()"])
    expect(place.get_by_role("checkbox", name="causal_mask")).to_be_checked()
    place.locator(".tl-go").click()
    expect_in(place, "found", "The first loss is the same as with our parts")
    ended(place)
    assert 2 < held_out(place) < 2.6

    page.evaluate(HASTE)
    page.evaluate(KEEP, ["masking-causal", f"{MASK[: MASK.index('return')]}while True: pass"])
    place.locator(".tl-go").click()
    expect_in(place, "trouble", "10 seconds")
    expect(place.locator(".tl-go")).to_be_enabled()


def test_the_machine_is_measured_where_no_size_is_set(train):
    place = train("#train:steps=200")
    place.locator(".tl-go").click()
    ended(place)
    fits, *sizes = place.get_by_label("Width").locator("option").all_inner_texts()
    assert "as fits here: " in fits
    assert all(":" in size for size in sizes)
    press(place, "Copy link")
    assert f"size={place.get_by_label('Width').input_value()}," in place.page.url


def test_it_pauses_and_goes_on(train):
    place = train(LONGER)
    place.locator(".tl-go").click()
    learning(place)
    press(place, "Pause")
    expect_in(place, "summary", "paused")
    press(place, "Go on")
    assert "After 1,000 steps" in ended(place)


@pytest.mark.slow
def test_a_hidden_tab_waits(train):
    place = train(LONGER)
    place.locator(".tl-go").click()
    learning(place)
    hide = """(hidden) => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    place.page.evaluate(hide, True)
    expect_in(place, "summary", "hidden")
    place.page.evaluate(hide, False)
    assert "After 1,000 steps" in ended(place)


def test_a_text_of_ones_own_is_learned(train):
    place = train("#train:size=24x2,steps=400")
    place.get_by_role("radio", name="your own text").check()
    field = place.locator("textarea")
    field.fill("too short")
    expect(place.locator(".tl-go")).to_be_disabled()
    expect_in(place, "pasted", "9 characters")
    place.page.evaluate(DROP, [field.element_handle(), OWN])
    expect_in(place, "pasted", "characters. It is long enough")
    place.locator(".tl-go").click()
    ended(place)
    assert "green bottles hanging" in place.locator(".tl-written").inner_text()
    expect_in(place, "curves", "your text")


def test_without_the_mask_the_loss_is_almost_zero_and_the_text_is_none(train):
    place = train(f"{SHORT},without=mask")
    expect(place.get_by_label("the mask")).to_be_checked()
    place.locator(".tl-go").click()
    ended(place)
    assert held_out(place) < 0.3
    assert place.locator(".tl-written b").count() == 0
    expect_in(place, "written", "↵↵")
    expect_in(place, "curves", "no mask")


@pytest.mark.slow
def test_a_lower_rung_learns_less_and_its_curve_stays(train):
    place = train(f"{SHORT.replace('200', '400')},rung=bigram")
    expect(place.get_by_label("the mask")).to_be_disabled()
    place.locator(".tl-go").click()
    ended(place)
    bigram = held_out(place)
    place.get_by_role("combobox", name="Model").select_option(label="the whole GPT")
    place.locator(".tl-go").click()
    assert "After 400" not in place.locator(".tl-legend").inner_text()  # that was the last one's
    ended(place)
    assert held_out(place) < bigram
    expect_in(place, "curves", "bigram, 24 × 2")


def test_a_model_is_saved_for_gpt_py_and_loaded_again(train, tmp_path):
    place = train(SHORT)
    place.locator(".tl-go").click()
    ended(place)
    with place.page.expect_download() as download:
        press(place, "Save")
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    parameters = load_file(file)
    model = gpt.GPT(len(parameters["tokens.weight"]), width=24, layers=2)
    model.load_state_dict(parameters)

    before = held_out(place)
    place.locator("input[type=file][accept]").last.set_input_files(file)
    expect_in(place, "curves", "loaded")
    expect_in(place, "legend", "After 0 steps")
    assert held_out(place) == before
    place.locator("input[type=file][accept]").last.set_input_files(__file__)
    expect_in(place, "trouble", "not a model")


@pytest.mark.slow
def test_a_model_that_was_not_saved_is_not_lost_to_the_next(train, tmp_path):
    place = train(SHORT)
    place.locator(".tl-go").click()
    ended(place)
    before = held_out(place)
    place.get_by_label("Seed").fill("1")
    place.locator(".tl-go").click()
    learning(place)
    with place.page.expect_download() as download:
        press(place, "Save the earlier model")
    download.value.save_as(tmp_path / "earlier.safetensors")
    ended(place)
    files = place.locator("input[type=file][accept]")
    files.last.set_input_files(tmp_path / "earlier.safetensors")
    expect_in(place, "curves", "loaded")
    expect_in(place, "legend", "After 0 steps")
    assert held_out(place) == before


FULL = "() => { IDBObjectStore.prototype.put = function () { this.transaction.abort(); }; }"


@pytest.mark.slow
def test_the_last_model_is_kept_and_where_there_is_no_room_it_is_said(train):
    place = train(SHORT)
    place.locator(".tl-go").click()
    ended(place)
    expect_in(place, "cost", "keeps this model")
    before = held_out(place)
    place.page.reload()
    press(place, "Bring back")
    expect_in(place, "curves", "loaded")
    expect_in(place, "legend", "After 0 steps")
    assert held_out(place) == before
    place.page.evaluate(FULL)
    press(place, "More")
    expect_in(place, "legend", "After 800 steps")
    expect_in(place, "cost", "no room")
    press(place, "Save the model")


def test_settings_stand_in_a_link(train):
    place = train("#train:rung=residuals+and+norm,without=mask+heads,seed=7,steps=123,text=plays")
    expect(place.get_by_label("eight plays")).to_be_checked()
    place.get_by_role("checkbox", name="residuals").check()
    press(place, "Copy link")
    address = place.page.url.split("#")[1]
    assert (
        address
        == "train:text=plays,steps=123,seed=7,rung=residuals+and+norm,without=residuals+mask+heads"
    )


def test_without_simd_it_is_said(train, open_page, folder):
    page = open_page("about:blank")
    page.add_init_script("WebAssembly.validate = () => false;")
    page.goto(f"{folder.as_uri()}/index.html")
    expect_in(page.locator(".tl-train"), "trouble", "SIMD")
    expect(page.locator(".tl-go")).to_be_disabled()


@pytest.mark.parametrize("screen", SCREENS)
def test_it_has_room_and_can_be_read_by_all(train, screen):
    place = train(SHORT, page="dark" if screen == "dark" else "index", **SCREENS[screen])
    place.locator(".tl-go").click()
    learning(place)
    assert place.page.evaluate(BEYOND) <= 0
    assert "It writes" in place.locator("[role=status]").inner_text()
    expect(place.locator(".tl-curves path").first).to_have_css("fill", "none")  # not a black area
    assert not complaints(place.page)


DIGEST = """
if (!window.digest) {
    const made = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
        blob.arrayBuffer().then((content) => {
            let digest = 0;
            for (const byte of new Uint8Array(content)) digest = (Math.imul(digest, 31) + byte) | 0;
            if (content.byteLength > 40_000) window.digest = `${content.byteLength} ${digest}`;
        });
        return made.call(URL, blob);
    };
}
const buttons = [...document.querySelectorAll("button")];
const button = buttons.find((one) => one.textContent.startsWith("Save"));
const ended = document.querySelector(".tl-summary").textContent.endsWith("ended");
const go = document.querySelector(".tl-go");
if (go.textContent.startsWith("Train:")) go.click();
if (ended && !window.digest) button.click();
return window.digest ?? "";
"""


PUT = """
const kept = JSON.stringify({ code: CODE, given: "stub", before: [] });
localStorage.setItem("transformer-lab/1/masking-causal", kept);
dispatchEvent(new Event("storage"));
const part = document.querySelector('.tl-train input[value="masking-causal"]');
const go = document.querySelector(".tl-go");
if (!part || go.disabled) return false;
if (!part.checked) part.click();
go.click();
return true;
"""
FOUND = """
const found = document.querySelector(".tl-found:not([hidden])");
return (found ?? document.querySelector(".tl-trouble")).textContent;
"""


@pytest.fixture(params=[firefox, webkit], ids=["Firefox", "WebKit"])
def other(request, tmp_path):
    """Another browser: what goes to an address, and what runs a script there."""
    there = all(map(shutil.which, (FIREFOX, WEBKIT, SCREEN)))
    assert there, ".ci/other-browsers says what to install"
    with request.param(tmp_path) as browser:
        yield browser


@pytest.mark.slow
def test_other_browsers_take_ones_own_mask_over(served, other):
    go, run = other
    go(f"{served}/book/whole_model.html{SHORT}")
    for code, word in [(MASK, "look ahead"), (f"{MASK}.tril()", "is the same")]:
        patiently(lambda code=code: run(PUT.replace("CODE", json.dumps(code))))
        assert word in patiently(lambda: run(FOUND))


@pytest.mark.slow
def test_a_seed_gives_the_same_digits_in_other_browsers(train, folder, other):
    """All parameters after 200 steps, to the last digit."""
    page = train(SHORT).page
    ours = patiently(lambda: page.evaluate(f"() => {{{DIGEST}}}"))
    go, run = other
    go(f"{folder.as_uri()}/index.html{SHORT}")
    assert patiently(lambda: run(DIGEST)) == ours
