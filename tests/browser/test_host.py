"""The page's host in place of a kernel: the part of the anywidget interface that widgets use."""

import pytest
from playwright.sync_api import expect

from tests.chromium import opener
from transformer_lab.widgets._page import classic

HOST = classic("host")

DATA = {
    "axes": {"a": [1, 2], "b": ["x", "y", "z"]},
    "free": [],
    "state": {"a": 1, "b": "x", "shown": 3},
    "frames": [
        [{"n": i, "bytes": {"from": i, "size": 2}} for i in row] for row in (range(3), range(3, 6))
    ],
}


@pytest.fixture
def page(open_page):
    page = open_page("about:blank")
    page.add_script_tag(content=HOST)
    page.evaluate(
        """data => {
            const blob = new Uint8Array([10, 11, 12, 13, 14, 15, 16]);
            window.model = new transformerLab.Model({ ...data, blob }, { b: "z" });
            window.seen = [];
            window.hear = () => seen.push(model.get("frame").n);
        }""",
        DATA,
    )
    return page


def test_the_first_frame_belongs_to_the_start(page):
    assert page.evaluate("[model.get('a'), model.get('b'), model.get('shown')]") == [1, "z", 3]
    assert page.evaluate("model.get('frame').bytes.getUint8(1)") == 13
    frame = page.evaluate("(({ bytes, ...rest }) => rest)(model.get('frame'))")
    assert frame == {"a": 1, "b": "z", "n": 2}


def test_a_saved_change_brings_its_frame(page):
    page.evaluate("model.on('change:frame', hear); model.set('a', 2); model.set('b', 'y')")
    assert page.evaluate("seen") == [], "not before it is saved"
    page.evaluate("model.save_changes()")
    assert page.evaluate("seen") == [4]
    page.evaluate("model.save_changes()")
    assert page.evaluate("seen") == [4], "nothing changed, nothing is said"


def test_baked_data_arrives_as_it_was_packed(page):
    page.evaluate("data => transformerLab.baked('toy', { ...data, blob: 'AP+A' })", DATA)
    page.evaluate("""() => {
        transformerLab.widgets.toy = { render({ model }) { window.first = model.get('frame'); } };
        document.body.innerHTML =
            '<div class="tl-widget" data-widget="toy" data-assets="data:text/javascript,//"' +
            ' data-start="{}"><div class="tl-home"></div></div>';
        document.dispatchEvent(new Event('DOMContentLoaded'));
    }""")
    page.wait_for_function("() => window.first")
    assert page.evaluate("[first.bytes.getUint8(0), first.bytes.getUint8(1)]") == [0, 255]


def test_a_widget_whose_scripts_do_not_come_says_so_in_its_place(chromium):
    with opener(chromium, []) as open_page:  # the browser complains too
        page = open_page("about:blank")
        page.add_script_tag(content=HOST)
        page.evaluate("""() => {
            document.body.innerHTML =
                '<div class="tl-widget" data-widget="toy" data-assets="http://127.0.0.1:1/">' +
                '<div class="tl-home"></div></div>';
            document.dispatchEvent(new Event('DOMContentLoaded'));
        }""")
        told = "Error: cannot load http://127.0.0.1:1/toy.js. Reload this page."
        expect(page.locator(".tl-widget").get_by_role("alert")).to_have_text(told)


def test_what_the_page_computes_comes_on_top_of_the_baked_frame(page):
    frame = page.evaluate(
        """data => {
            const state = { ...data.state, f: 0.5 }, blob = new Uint8Array(9);
            const compute = (state, frame) => ({ twice: 2 * state.f, n: frame.n + 10 });
            const { Model } = transformerLab;
            const model = new Model({ ...data, free: ["f"], state, blob }, {}, compute);
            model.set("f", 0.75);
            model.set("a", 2);
            model.save_changes();
            const { bytes, ...rest } = model.get("frame");
            return rest;
        }""",
        DATA,
    )
    assert frame == {"a": 2, "b": "x", "f": 0.75, "twice": 1.5, "n": 13}


@pytest.mark.parametrize(
    ("fragment", "state"),
    [("a=2,b=z", [2, "z"]), ("a=7,b=z", [1, "z"]), ("nonsense", [1, "x"]), ("toys=2", [1, "x"])],
)
def test_an_address_moves_the_controls_of_the_widget_it_names(page, fragment, state):
    data = DATA | {"state": DATA["state"] | {"stops": DATA["axes"]}}
    page.evaluate("data => transformerLab.baked('toy', { ...data, blob: btoa('0123456') })", data)
    page.evaluate("""() => {
        transformerLab.widgets.toy = { render({ model }) { window.model = model; } };
        document.body.innerHTML = ('<div class="tl-widget" data-widget="toy" data-start="{}"' +
            ' data-assets="data:text/javascript,//"><div class="tl-home"></div></div>').repeat(2);
        window.model = undefined;
        document.dispatchEvent(new Event('DOMContentLoaded'));
    }""")
    page.wait_for_function("() => transformerLab.mounted.size === 2")
    page.evaluate(
        """fragment => new Promise((heard) => {
            addEventListener("hashchange", heard); // the last to hear of it
            location.hash = `toy:${fragment}`;
        })""",
        fragment,
    )
    both = page.evaluate(
        """[...transformerLab.mounted].map(
            ([el, { model }]) => [el.id, model.get("a"), model.get("b")])"""
    )
    assert both == [["toy", *state], ["toy-2", 1, "x"]]
