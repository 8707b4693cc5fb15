"""The exercises on their pages, in Chromium: written, run, named, ended, and shut in."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tensorgrader.sphinx.node import PAGE
from tests.browser.test_pages import weight
from tests.chromium import SITE, opener
from tests.course import CHAPTERS, EXERCISES
from tests.sweeps import few
from tests.written import solutions

ATTENTION = "exercises/attention.html"
#: Mistakes that a reader may make on the way through attention, and their names.
MISTAKES = [
    ("lookup", "values[(keys @ query).argmax()]", "Only the value of the best key is returned"),
    ("lookup", "(keys @ query) @ values", "The scores are used as they are, without softmax"),
    ("scores", "q @ k", "The last two axes of k are the wrong way round"),
    ("scores", "k @ q.mT", "Queries and keys are swapped"),
    ("softmax", "x.exp() / x.exp().sum(-1, keepdim=True)", "The exponential overflows"),
    ("attention", "(softmax(scores(q, k)) @ v, softmax(scores(q, k)))", "There is no scaling"),
    (
        "head",
        "attention(source @ W_q, x @ W_k, x @ W_v)",
        "Queries come from the source, keys and values from x",
    ),
]


class Laboratory:
    """The page of an exercise, and what a reader does on it."""

    def __init__(self, page, stem="attention"):
        self.page, self.stem = page, stem

    def answer(self, name):
        return self.page.locator(f"#{self.stem}-{str(name).replace('_', '-')}")

    def write(self, name, code):
        """Put code into an editor, which comes with the focus."""
        answer = self.answer(name)
        answer.locator(".cm-content, .highlight[tabindex]").first.focus()
        answer.locator(".cm-content").fill(code)

    def run(self, name):
        """Run an answer; give what stands below it when it is done."""
        self.answer(name).get_by_role("button", name=re.compile("^Run ")).click()
        return self.output(name)

    def run_all(self):
        self.page.get_by_role("button", name="Run all").click()
        self.wait()

    def output(self, name):
        self.wait()
        return self.answer(name).locator(".tl-output")

    def wait(self):
        """Wait until all that was asked is done."""
        expect(self.page.locator("[aria-busy=true]")).to_have_count(0)


#: Begins anew on a page whose Python is there, and may have run something already.
ANEW = """() => {
    for (const reset of document.querySelectorAll(".tl-bar [aria-label^=Reset]")) reset.click();
    localStorage.clear();
}"""


@pytest.fixture(scope="module")
def shared(chromium, served):
    """The page of an exercise, opened once for many tests, and what goes wrong in it."""
    troubles = []
    with opener(chromium, troubles) as open_:
        yield Laboratory(open_(f"{served}/{ATTENTION}")), troubles


@pytest.fixture
def lab(shared):
    """The page of an exercise with its stubs, whatever was run on it before."""
    lab, troubles = shared
    lab.page.evaluate(ANEW)
    yield lab
    assert not troubles


#: The first; what all answers get on a page is also asked without a browser.
STEMS = few(CHAPTERS, "attention")


def test_an_example_runs_on_the_page_and_what_waits_says_so(open_page, served):
    """Where one's own GPT writes, it says that parts of it are missing."""
    lab = Laboratory(open_page(f"{served}/exercises/whole_model.html"), "whole_model")
    lab.answer("encode").get_by_role("button", name="Run encode").click()
    example = lab.page.locator(".tl-example")
    example.get_by_role("button", name="Run").click()
    expect(example.get_by_role("status")).to_have_text("Waiting …")
    lab.wait()
    expect(example.locator(".tl-printed")).to_contain_text("still missing")


@pytest.mark.slow
def test_cells_of_a_chapter_print_what_pytorch_printed_and_can_be_changed(open_page, served):
    page = open_page(f"{served}/book/after_pretraining.html")
    cells = page.locator(".tl-example")
    built = [text.split() for text in cells.locator(".cell_output").all_inner_texts()]
    for cell in cells.all():
        cell.get_by_role("button", name="Run").click()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    printed = cells.locator(".tl-printed")
    assert [text.split() for text in printed.all_inner_texts()] == built
    expect(cells.locator(".cell_output").first).to_be_hidden()
    first = cells.first.locator(".cm-content")
    first.fill("\n".join(first.locator(".cm-line").all_text_contents()).replace(', "<end>")', ")"))
    cells.nth(1).get_by_role("button", name="Run").click()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    expect(printed.nth(1)).to_contain_text("masked: loss")
    expect(printed.nth(1)).not_to_contain_text("<end>")


@pytest.mark.parametrize("stem", STEMS)
def test_every_stub_fails_and_every_solution_holds(open_page, served, stem):
    lab = Laboratory(open_page(f"{served}/exercises/{stem}.html"), stem)
    solved = solutions(stem)
    assert list(solved) == [exercise.id for exercise in CHAPTERS[stem].exercises]
    lab.run_all()
    cards = lab.page.locator(".tl-output .tl-card")
    assert cards.count() == len(solved)
    assert lab.page.locator(".tl-card-fails.tl-card").count() == cards.count()
    for name, code in solved.items():
        lab.page.locator(f"#{name} .cm-content").fill(code)
    lab.run_all()
    assert not lab.page.locator(".tl-card-fails.tl-card").all_inner_texts()
    assert not lab.page.locator(".tl-output .tl-note").all_inner_texts()
    assert "everything here is right" in cards.last.inner_text()


@pytest.mark.smoke
@pytest.mark.parametrize("site", ["file"], indirect=True)
def test_a_mistake_is_named_and_put_right_in_a_folder_too(open_page, site):
    laboratory = Laboratory(open_page(f"{site}/{ATTENTION}"))
    laboratory.write(
        "softmax", "def softmax(x):\n    e = x.exp()\n    return e / e.sum(-1, True)\n"
    )
    output = laboratory.run("softmax")
    expect(output).to_contain_text("The exponential overflows.")
    link = output.get_by_role("link").get_attribute("href")
    path, _, anchor = link.removeprefix("../").partition("#")
    path, _, query = path.partition("?")
    assert query == "from=attention-softmax"
    assert f'id="{anchor}"' in (SITE / path).read_text("utf8")
    laboratory.write("softmax", solutions("attention")["attention-softmax"])
    expect(laboratory.run("softmax")).to_contain_text("softmax is right")
    kept = laboratory.page.evaluate("localStorage['transformer-lab/1/questions']")
    assert "attention-softmax: the exponential overflows" in kept  # and comes back as a question


def test_the_place_of_a_mistake_without_a_name_is_told_in_steps(lab):
    wrong = "def softmax(x):\n    top = x.amax(dim=-1, keepdim=True).clamp(min=0)\n"
    wrong += "    e = torch.exp(x - top)\n    return e / e.sum(dim=-1, keepdim=True)\n"
    lab.write("softmax", wrong)
    hint = lab.run("softmax").locator(".tl-card .tl-card-hint")
    expect(hint).to_contain_text("Look at line 2", timeout=30_000)
    expect(lab.answer("softmax").get_by_role("status")).to_contain_text("Look at line 2")
    expect(hint.get_by_text("requirements hold")).to_be_hidden()
    hint.get_by_text("What would help?").click()
    expect(hint.get_by_text("requirements hold")).to_be_visible()
    expect(hint.locator("pre")).to_be_hidden()
    hint.get_by_text("One way to make it right").click()
    expect(hint.locator("pre")).to_contain_text("+ top = x.amax(dim=-1, keepdim=True)")
    # A search ends when something else is run.
    lab.write("softmax", wrong.replace("min=0", "min=1"))
    lab.run("softmax")
    lab.write("softmax", solutions("attention")["attention-softmax"])
    expect(lab.run("softmax")).to_contain_text("softmax is right")
    expect(hint).to_have_count(0)


#: Lets a page wait for two seconds where it would wait for ten.
HASTE = """() => {
    const wait = window.setTimeout;
    window.setTimeout = (act, time) => wait(act, time === 10_000 ? 2_000 : time);
    return () => { window.setTimeout = wait; };
}"""


def test_a_loop_without_end_is_ended_and_what_was_defined_comes_back(lab):
    right = solutions("attention")
    for step in ("scores", "softmax", "attention"):
        lab.write(step, right[f"attention-{step}"])
    expect(lab.run("softmax")).to_contain_text("softmax is right")
    expect(lab.run("attention")).to_contain_text("attention is right")
    at_leisure = lab.page.evaluate_handle(HASTE)
    lab.write("attention", "def attention(q, k, v):\n    while True:\n        pass\n")
    output = lab.run("attention")
    expect(output).to_contain_text("It gave no answer within 10 seconds.")
    expect(output).to_contain_text("starts again")
    held = lab.page.evaluate("JSON.parse(localStorage['transformer-lab/1/progress'])")
    assert not any(held[prop.id] for prop in EXERCISES["attention-attention"].properties)
    lab.write("attention", right["attention-attention"] + "\nwhile True:\n    pass\n")
    expect(lab.run("attention")).to_contain_text("Its cell ran for more than 10 seconds")
    at_leisure.evaluate("again => again()")
    lab.write("attention", right["attention-attention"])
    output = lab.run("attention")
    expect(output).to_contain_text("attention is right")
    softmax = sum(p.points for p in EXERCISES["attention-softmax"].properties)
    whole = sum(p.points for p in EXERCISES["attention-attention"].properties)
    expect(output).to_contain_text(f"attention: {softmax + whole} of ")


@pytest.mark.parametrize("ends", few(["os._exit(1)", "sys.exit()"], "sys.exit()"))
def test_code_that_ends_python_harms_no_later_run(lab, ends):
    lab.write("scores", f"import os, sys\ndef scores(q, k):\n    {ends}\n")
    lab.run("scores")
    shown = "Python has stopped" if "os" in ends else "SystemExit"
    expect(lab.output("scores")).to_contain_text(shown)
    expect(lab.output("scores")).not_to_contain_text("Traceback")
    lab.write("scores", solutions("attention")["attention-scores"])
    expect(lab.run("scores")).to_contain_text("scores is right")


def test_what_a_cell_prints_and_the_line_that_fails_are_shown(lab):
    lab.write(
        "lookup",
        "print('<b>hello</b>')\n\ndef soft_lookup(q, keys, values):\n    return keys / 0\n1 / 0",
    )
    output = lab.run("lookup")
    expect(output.locator(".tl-printed")).to_contain_text("<b>hello</b>")
    expect(output.locator(".tl-printed")).to_contain_text("ZeroDivisionError in line 5")
    expect(lab.answer("lookup").locator(".tl-failed")).to_have_text("1 / 0")
    lab.answer("lookup").locator(".cm-content").press("Control+End")
    lab.page.keyboard.type("0")
    expect(lab.answer("lookup").locator(".tl-failed")).to_have_count(0)
    lab.page.keyboard.press("Control+z")
    expect(lab.answer("lookup").locator(".cm-content")).to_contain_text("1 / 0")
    lab.answer("lookup").get_by_role("button", name="Reset").click()
    expect(lab.answer("lookup").locator(".cm-content")).to_contain_text("NotImplementedError")
    expect(output).to_be_empty()


def test_what_an_editor_holds_is_what_is_judged(lab):
    lab.write("softmax", solutions("attention")["attention-softmax"])
    expect(lab.run("softmax")).to_contain_text("softmax is right")
    lab.write("softmax", "")
    expect(lab.run("softmax")).to_contain_text("There is no function softmax in this cell")
    lab.run_all()
    expect(lab.output("softmax")).to_contain_text("There is no function softmax in this cell")
    held = lab.page.evaluate("JSON.parse(localStorage['transformer-lab/1/progress'])")
    assert not any(held[prop.id] for prop in EXERCISES["attention-softmax"].properties)


def test_a_helper_is_taken_from_the_editors_above_as_they_are(lab):
    helper = solutions("attention")["attention-softmax"].replace("softmax", "helper")
    calls = "def softmax(x):\n    return helper(x)\n"
    lab.write("softmax", calls)
    lab.write("scores", helper)
    expect(lab.run("softmax")).to_contain_text("softmax is right")
    lab.write("scores", "")
    lab.write("head", helper)
    lab.run("head")
    expect(lab.run("softmax")).to_contain_text("Nothing is called helper")


AWAITS = "import asyncio\nawait asyncio.sleep(0.01)\nprint(asyncio.run(asyncio.sleep(0, 'done')))\n"


def test_python_waits_and_says_what_it_cannot_ask(lab):
    right = solutions("attention")["attention-softmax"]
    lab.write("softmax", f"{right}\n{AWAITS}")
    output = lab.run("softmax")
    expect(output.locator(".tl-printed")).to_have_text("done")
    expect(output).to_contain_text("softmax is right")
    lab.write("softmax", right.replace("\n", "\n    import time; time.sleep(0.01)\n", 1))
    expect(lab.run("softmax")).to_contain_text("softmax is right")
    lab.write("softmax", f"n = input('go? ')\n{right}")
    output = lab.run("softmax")
    expect(output.locator(".tl-printed")).to_contain_text("this page cannot ask for input")
    expect(output).to_contain_text("softmax is right")


def test_a_widget_shows_the_readers_own_function(lab):
    lab.write("softmax", "def softmax(x):\n    return torch.ones(3) / 3\n")
    lab.page.locator(".tl-yours > summary", has_text="your softmax in the soft dictionary").click()
    widget = lab.page.locator("[data-widget=soft_dictionary]")
    shown = widget.locator("svg[role=img]").first
    own = "weights 0.33, 0.33, 0.33, answer 5.67."
    expect(shown).to_have_attribute("aria-label", f"Query (4, -1.5): {own}")
    widget.get_by_role("slider", name="Fruit").press("ArrowLeft")
    expect(shown).to_have_attribute("aria-label", f"Query (3.9, -1.5): {own}")
    expect(widget.locator(".tl-trouble")).to_be_empty()
    lab.write("softmax", "def softmax(x):\n    return x / 0\n")
    lab.run("softmax")
    trouble = "softmax returned NaN or infinity in 3 of 3 entries."
    expect(widget.locator(".tl-trouble")).to_have_text(trouble)


def test_by_keyboard_alone(open_page, served):
    """Tab passes through what nobody has written into; then it indents, and Escape frees it."""
    lab = Laboratory(open_page(f"{served}/{ATTENTION}"))
    page, answer = lab.page, lab.answer("scores")
    lab.answer("lookup").get_by_role("button", name="Reset").focus()
    for _ in range(10):  # past the hints, the solution, a formula that scrolls and a prediction
        page.keyboard.press("Tab")
        if answer.locator(":focus").count():
            break
    content = answer.locator(".cm-content")
    expect(content).to_be_focused()
    page.keyboard.press("Tab")
    expect(answer.get_by_role("button", name="Run scores")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(content).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("def scores(q, k):\n")
    page.keyboard.type("return 1 / 2")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("x")
    assert content.inner_text().splitlines()[1] == "    return 1 / 2"
    assert content.inner_text().splitlines()[-1].endswith("    x")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(content).not_to_be_focused()
    content.fill(solutions("attention")["attention-scores"])
    page.keyboard.press("Control+Enter")
    expect(answer.get_by_role("status")).to_contain_text("scores: 4 of 4 points")


def test_nothing_comes_before_it_is_wanted_and_then_once(open_page, served):
    page = open_page("about:blank")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{served}/{ATTENTION}")
    expect(page.get_by_role("button", name="Run all")).to_be_visible()
    ours = [url for url in asked if "/transformer_lab/page/" in url]
    names = {urlsplit(url).path.split("/")[-1] for url in ours}
    assert names == {"exercises.js"}  # the style is in the book's one sheet
    asked.clear()
    lab = Laboratory(page)
    lab.run("scores")
    assert asked == sorted(set(asked), key=asked.index)
    names = {url.split("/")[-1] for url in asked if not url.startswith(("blob:", "about:"))}
    there = {path.name for path in (SITE / "_static/transformer_lab/page").glob("*.*.js")}
    assert names == there, "all that is there is loaded, and nothing else"
    assert all(re.search(r"\.[0-9a-f]{12}\.js$", name) for name in names)


def test_what_comes_is_light():
    folder = SITE / "_static/transformer_lab/page"
    sizes = {path.name: weight(path) for path in folder.glob("*.js")}
    assert sum(sizes.values()) <= 6_000_000, sizes
    assert next(size for name, size in sizes.items() if name.startswith("editor")) <= 100_000
    assert sizes["exercises.js"] <= 10_000
    assert sizes["every_page.js"] <= 4_000
    assert "pyodide" in (folder / "notices.txt").read_text("utf8")


def test_without_javascript_the_page_is_as_it_was(open_page, served):
    page = open_page(f"{served}/{ATTENTION}", java_script_enabled=False)
    assert page.locator("pre", has_text='check("attention-scores")').is_visible()
    assert page.locator("pre", has_text="def scores(q, k):").first.is_visible()
    assert not page.get_by_role("button", name=re.compile("^(Run|Reset)")).count()
    assert page.locator("noscript p").is_visible()


HOSTILE = """\
import gc, importlib
try:
    import statistics
except ImportError as error:
    assert "it is not your mistake" in str(error)
found = []
for name in ("js pyodide_js pyodide pyodide.http pyodide.ffi pyodide.code _pyodide _pyodide_core "
             "ctypes _ctypes").split():
    try:
        importlib.import_module(name)
        found.append(name)
    except ImportError:
        pass
for kind in object.__subclasses__():
    if kind.__name__ == "JsProxy":
        found += [one for one in gc.get_objects() if isinstance(one, kind)]
try:
    import urllib.request
    found.append(urllib.request.urlopen("http://127.0.0.1"))
except Exception:
    pass
try:
    import socket
    socket.create_connection(("127.0.0.1", 80), timeout=1)
    found.append("a socket")
except Exception:
    pass
print("reached", found)
"""
#: What a worker offers to reach others by, or to keep something with.
WAYS_OUT = """\
fetch XMLHttpRequest WebSocket EventSource WebTransport importScripts indexedDB caches
BroadcastChannel Worker SharedWorker navigator postMessage MessageChannel Notification
FileReaderSync webkitRequestFileSystem open Request Response"""


def test_python_reaches_neither_the_browser_nor_a_network(lab):
    lab.write("scores", HOSTILE)
    expect(lab.run("scores").locator(".tl-printed")).to_have_text("reached []")


def test_a_worker_keeps_no_way_out_behind_its_doors(open_page, served):
    """Asked in a worker that has our doors and nothing else."""
    page = open_page(f"{served}/{ATTENTION}")
    doors = (PAGE / "doors.js").read_text("utf8").replace("export ", "")
    left = page.evaluate(
        """([doors, names]) => new Promise((resolve, reject) => {
            const script = `const tell = postMessage.bind(self); ${doors}; serve({}); shut();
                const kept = (scope, name) => scope && (name in scope || kept(up(scope), name));
                const up = Object.getPrototypeOf;
                tell(${JSON.stringify(names)}.filter((name) => kept(globalThis, name)));`;
            const worker = new Worker(URL.createObjectURL(new Blob([script])));
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = (error) => reject(error.message);
        })""",
        [doors, WAYS_OUT.split()],
    )
    assert left == []


def test_the_walls_hold_where_every_door_is_open(chromium, served):
    """Someone who ran JavaScript of their own in the frame would be no further."""
    attempts = []  # of which the browser complains
    with opener(chromium, attempts) as open_:
        lab = Laboratory(open_(f"{served}/{ATTENTION}"))
        lab.run("scores")
        assert not attempts
        reached = lab.page.frames[1].evaluate(TRIED_IN_THE_FRAME, served)
        assert "exercises" in lab.page.url
    assert reached == []
    assert attempts


TRIED_IN_THE_FRAME = """async address => {
    const tried = {
        network: () => fetch(address, { mode: "no-cors" }),
        script: () => new Promise((onload, onerror) => {
            const script = document.createElement("script");
            document.head.append(Object.assign(script, { src: address, onload, onerror }));
        }),
        storage: async () => localStorage.length,
        database: async () => indexedDB.open("x"),
        cookies: async () => document.cookie,
        page: async () => parent.document.title,
        address: async () => { top.location.href = address; },
    };
    const reached = [];
    for (const [name, attempt] of Object.entries(tried)) {
        try { await attempt(); reached.push(name); } catch {}
    }
    return reached;
}"""
#: The module as a classic script, which a page without an address can load.
CARD = (PAGE / "card.js").read_text("utf8").replace("export function", "function")
FORGED = """<style>body { display: none }</style>
<div class="tl-card" onclick="alert(1)" role="group">
<script>alert(1)</script><img src="x" onerror="alert(1)"><a href="javascript:alert(1)">a</a>
<a href="book/attention.html#the-formula">b</a><a href="../../other.html#site">b</a>
<iframe src="/"></iframe><p class="bd-header" style="position: fixed">c</p>
<td style="--tl-part:0.5;color:red">d</td><form><input></form>
<svg><a xlink:href="javascript:alert(1)">e</a></svg><b id="tl-lab-help">f</b>"""


def test_of_a_forged_card_only_what_a_card_has_is_shown(open_page):
    page = open_page("about:blank")
    page.add_script_tag(content=CARD)
    built = page.evaluate("html => builtCard(html).outerHTML", FORGED)
    assert 'href="book/attention.html#the-formula"' in built
    left_out = (
        "script style= onclick onerror <img javascript: iframe bd-header <form <input svg id= other"
    )
    assert not [word for word in left_out.split() if word in built]
