"""What a page does by itself: exercises checked by our grader, and models on a reader's words."""

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page

from benchmarks.browser import chromium
from benchmarks.report import table
from benchmarks.slow_machine import browser, megabytes, quarter_of_a_core
from benchmarks.static import served
from tests.chromium import SCREENS
from tests.course import CHAPTERS

MACHINES = {"this machine": nullcontext, "a quarter of a core": quarter_of_a_core}
WIDGETS = "book/gallery.html"
ROUNDS = 2
#: From the focus, which starts loading Python, until it is ready.
READY = """() => new Promise((resolve) => {
    const answer = document.querySelector(".tl-answer");
    const began = performance.now();
    const told = () => {
        const status = answer.querySelector("[role=status]");
        if (!status?.textContent.startsWith("Python is ready")) return;
        watching.disconnect();
        resolve(performance.now() - began);
    };
    const watching = new MutationObserver(told);
    watching.observe(answer, { subtree: true, childList: true, characterData: true });
    answer.querySelector(".highlight[tabindex]").focus();
})"""
#: From pressing Run until the card appears.
CHECK = """(answer) => new Promise((resolve) => {
    const began = performance.now();
    const told = () => {
        if (answer.ariaBusy === "true") return;
        watching.disconnect();
        resolve(performance.now() - began);
    };
    const watching = new MutationObserver(told);
    watching.observe(answer, { attributeFilter: ["aria-busy"] });
    answer.querySelector(".tl-run").click();
})"""
#: From Enter until the picture of a sentence appears.
TYPE = """(widget, text) => new Promise((resolve) => {
    const picture = widget.querySelector(".tl-main");
    const field = widget.querySelector("[data-name=tokens] input");
    const began = performance.now();
    const told = () => {
        if (picture.ariaBusy === "true") return;
        watching.disconnect();
        resolve(performance.now() - began);
    };
    const watching = new MutationObserver(told);
    watching.observe(picture, { attributeFilter: ["aria-busy"] });
    field.value = text;
    field.dispatchEvent(new Event("change", { bubbles: true }));
})"""
#: Of 12 tokens each for the translator, and of 13 for MiniLM.
SENTENCES = [
    "The old cat sat on the warm mat by day.",
    "A small dog ran to the big red house now.",
]
WHAT = """\
On the pages of the exercises and on the gallery, served from this machine, in a browser that has
never seen them. Ready: from the first focus until Python waits. A check: from Run until the card is
there, {checks} of them: every answer of every page, solved, in turn; those that discover ask a
model many questions, and take longest. Memory: of all of the browser's processes after attention's
checks, how much more than with the page alone. Own words: from Enter until the picture of a
sentence of 12 or 13 tokens is there, when the model is. A quarter of a core: all of its processes
share one core, and stand still for 75 of every 100 ms. Load of the machine when this began:
{load:.1f}. Chromium {chromium}."""


def measure(site: Path) -> str:
    """Measure both; return the report."""
    rows, load = [], os.getloadavg()[0]
    later = [stem for stem in CHAPTERS if stem != "attention"]
    for name, machine in MACHINES.items():
        with chromium() as started, served(site) as address:
            ready, memory, times = at_first(started, address, machine)
            for stem in later:
                times += at_checks(started, address, stem, machine)
            late = (np.median(times), np.quantile(times, 0.95), max(times))
            checks = [f"{milliseconds:.0f}" for milliseconds in late]
            words = [at_words(started, f"{address}/{WIDGETS}", model, machine)
                     for model in ("MiniLM", "translator")]  # fmt: skip
            rows.append([name, ready, *checks, memory, *words])
            what = WHAT.format(checks=len(times), load=load, chromium=started.version)
    header = ["machine", "ready, s", "a check, ms", "95th percentile", "longest", "memory, MB",
              "12 tokens of MiniLM, ms", "of the translator"]  # fmt: skip
    return f"{table(header, rows)}\n\n{what}"


def at_first(started: Browser, address: str, machine: Callable) -> tuple[str, str, list[float]]:
    """Return how long Python takes to load, its memory, and the time of attention's checks."""
    page = at_page(started, address, "attention")
    group = browser()
    before = megabytes(group)
    with machine():
        ready = page.evaluate(READY)
    times = checked(page, "attention", machine)
    after = megabytes(group)
    page.context.close()
    return f"{ready / 1000:.1f}", f"{after - before:.0f}", times


def at_checks(started: Browser, address: str, stem: str, machine: Callable) -> list[float]:
    """Return how long each check of another page takes."""
    page = at_page(started, address, stem)
    times = checked(page, stem, machine)
    page.context.close()
    return times


def at_page(started: Browser, address: str, stem: str) -> Page:
    """Open the page of a chapter's exercises."""
    page = opened(started, f"{address}/exercises/{stem}.html")
    page.locator(".tl-lab-intro").wait_for()
    return page


def checked(page: Page, stem: str, machine: Callable) -> list[float]:
    """Type the right answers, run all of them once, and time each in turn, a few times."""
    from tests.browser.test_laboratory import solutions

    for name, code in solutions(stem).items():
        answer = page.locator(f"#{name}")
        if not answer.locator(".cm-content").count():
            answer.locator(".highlight[tabindex]").focus()
        answer.locator(".cm-content").fill(code)
    page.get_by_role("button", name="Run all").click()
    page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
    with machine():
        return [a.evaluate(CHECK) for a in ROUNDS * page.locator(".tl-answer").all()]


def at_words(started: Browser, address: str, model: str, machine: Callable) -> str:
    """Return the median milliseconds from Enter to the picture, once the model is loaded."""
    page = opened(started, address)
    widget = page.locator("[data-widget=real_heads]")
    widget.scroll_into_view_if_needed()
    widget.locator(".tl-numbers").wait_for()
    widget.get_by_role("radio", name=model).check()
    field = widget.locator("[data-name=tokens] input")
    for text in SENTENCES:  # with the parts of the table that they need
        field.fill(text)
        field.press("Enter")
        button = widget.get_by_role("button", name=f"Load {model}")
        if text == SENTENCES[0]:
            button.click()
        widget.locator(".tl-main[aria-busy=false]").wait_for()
    with machine():
        times = [widget.evaluate(TYPE, SENTENCES[turn % 2]) for turn in range(12)]
    page.context.close()
    return f"{np.median(times):.0f}"


def opened(started: Browser, address: str) -> Page:
    """Open a page as on a first visit."""
    page = started.new_context(**SCREENS["desktop"]).new_page()
    page.set_default_timeout(300_000)
    page.goto(address)
    return page
