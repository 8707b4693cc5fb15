"""The benchmarks run, and their clock starts and stops where they say. No timing is a test."""

import itertools

import pytest

from benchmarks import browser, live, static
from benchmarks.slider import PROBE, STOPS, route
from tests.chromium import SITE

SVG = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{0}'/%3E"
TOY = f"""
<input type="range"><div id="grid">old</div><div id="image"><img src="{SVG.format(1)}"></div>
<script>
const [grid, image] = ["grid", "image"].map((id) => document.getElementById(id));
const change = {{
    grid() {{ grid.textContent = "new"; }},
    image() {{ image.innerHTML = `<img src="{SVG.format(2)}">`; }},
}};
</script>
"""


@pytest.mark.parametrize("picture", ["grid", "image"])
def test_the_clock_runs_from_the_press_to_the_new_picture(open_page, picture):
    page = open_page("about:blank")
    page.set_content(TOY)
    page.evaluate(
        """picture => addEventListener("pointerdown",
            () => setTimeout(() => change[picture](), 300), { once: true })""",
        picture,
    )
    armed = page.evaluate("performance.now()")
    page.locator(f"#{picture}").evaluate(f"el => {{ window.painted = ({PROBE})(el); }}")
    page.wait_for_function("since => performance.now() > since + 500", arg=armed)  # not measured
    box = page.locator("input").bounding_box()
    before = page.evaluate("performance.now()")
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    measured = page.evaluate("window.painted")
    assert 300 <= measured <= page.evaluate("performance.now()") - before


def test_the_route_never_stays_and_is_the_same_every_time():
    stops = [STOPS.index(16), *route(50)]
    assert all(a != b for a, b in itertools.pairwise(stops))
    assert set(stops) == set(range(len(STOPS)))
    assert stops[1:] == list(route(50))


@pytest.mark.slow
def test_every_kind_is_measured_in_jupyterlab(open_page, lab):
    times = live.measure(open_page("about:blank").context, lab, moves=1)
    assert times.keys() == live.KINDS.keys()
    assert all(len(some) == 1 and some[0] > 0 for some in times.values())


def test_the_static_page_is_measured(open_page):
    times = static.measure(open_page("about:blank"), SITE, moves=2)
    assert len(times) == 2
    assert min(times) > 0


def test_the_table_says_what_was_measured():
    times = {kind: [10.0] * 99 + [1000.0] for kind in browser.NAMES} | {"four": [40.0] * 100}
    table = browser.slider_table(times).splitlines()
    assert "| `interact` there, four plain panels | 100 | 40.0 | 40.0 | 4.00 |" in table
