"""Exercises on their pages and kept work, in Firefox and in WebKit: one session each."""

import json
import re
import shutil
import time

import pytest

from tests.browser.drivers import FIREFOX, PATIENCE, SCREEN, WEBKIT, firefox, webkit
from tests.browser.test_laboratory import ATTENTION, MISTAKES
from tests.chromium import SITE
from tests.course import CHAPTERS
from tests.written import solutions
from transformer_lab.widgets import _gpt_walk

pytestmark = pytest.mark.slow
WRITE = """
const answer = document.getElementById(NAME);
answer.querySelector(".highlight[tabindex]")?.focus();
const content = answer.querySelector(".cm-content");
if (!content) return false;
content.focus();
document.execCommand("selectAll");
document.execCommand("insertText", false, CODE);
return true;
"""
RUN = 'document.getElementById(NAME).querySelector(".tl-run").click(); return true;'
RUN_ALL = """
const buttons = [...document.querySelectorAll(".tl-lab-intro button")];
const button = buttons.find((one) => one.textContent === "Run all");
button?.click();
return Boolean(button);
"""
TOLD = """
if (document.querySelector("[aria-busy=true]")) return "";
const outputs = [...document.querySelectorAll(".tl-answer .tl-output")];
return JSON.stringify(Object.fromEntries(outputs.map((output) => [
    output.closest(".tl-answer").id,
    { text: output.innerText, fails: Boolean(output.querySelector(".tl-card-fails, .tl-note")) },
])));
"""
FORGET = "localStorage.clear(); return true;"
SIGN = 'return document.querySelector("nav.bd-docs-nav .tl-sign .tl-heard")?.textContent ?? "";'
SHOWN = """
const lines = document.getElementById(NAME).querySelectorAll(".cm-line, .highlight[tabindex] pre");
return [...lines].map((line) => line.textContent).join("\\n").trimEnd();
"""
TAKE = """
const made = URL.createObjectURL;
URL.createObjectURL = (blob) => {
    blob.text().then((text) => { window.taken = text; });
    return made.call(URL, blob);
};
document.querySelector(".tl-work [name=take]").click();
return true;
"""
BRING = """
const data = new DataTransfer();
data.items.add(new File([NOTEBOOK], "attention.ipynb"));
const input = document.querySelector(".tl-work input");
input.files = data.files;
input.dispatchEvent(new Event("change"));
return true;
"""
BROUGHT = """
const said = document.querySelector(".tl-work > [role=status]").textContent;
return said.includes("came from it") ? said : "";
"""

TYPE = """
const walk = document.querySelector("[data-widget=block_walk]");
walk.scrollIntoView();
const field = walk.querySelector("textarea");
if (!field) return false;
if (field.value !== TEXT) {
    field.value = TEXT;
    field.dispatchEvent(new Event("input", { bubbles: true }));
}
const buttons = [...walk.querySelectorAll("button")];
const load = buttons.find((one) => one.textContent.startsWith("Load GPT"));
load?.click();
return Boolean(load);
"""
ON = """
const walk = document.querySelector("[data-widget=block_walk]");
if (walk.querySelector(".tl-body.tl-old, [aria-busy=true]")) return "";
const said = (part) => walk.querySelector(`.tl-${part}`).textContent;
const told = ["title", "where", "readout", "result"].map(said);
[...walk.querySelectorAll("button")].find((one) => one.textContent === "on ›").click();
return JSON.stringify(told);
"""


def patiently(ask):
    """Ask until something is told."""
    begun = time.monotonic()
    while not (told := ask()):
        assert time.monotonic() - begun < PATIENCE, "nothing is told"
        time.sleep(0.2)
    return told


class Reader:
    """Someone who reads the book with another browser."""

    def __init__(self, address, go, run):
        self.address, self._go, self._run = address, go, run

    def go(self, page, site=None):
        self._go(f"{site or self.address}/{page}")

    def does(self, script, **given):
        """Run a script as soon as it can be run, and give what it gives."""
        for name, value in given.items():
            script = script.replace(name, json.dumps(value))
        return patiently(lambda: self._run(script))

    def write(self, name, code):
        self.does(WRITE, NAME=name, CODE=code)

    def run(self, name):
        self.does(RUN, NAME=name)
        return self.told()[name]["text"]

    def told(self):
        """Wait until all that was asked is done; give what stands below each answer."""
        return json.loads(self.does(TOLD))

    def run_all(self):
        self.does(RUN_ALL)
        return self.told()


@pytest.fixture(scope="module", params=[firefox, webkit], ids=["Firefox", "WebKit"])
def reader(request, served, tmp_path_factory):
    there = all(map(shutil.which, (FIREFOX, WEBKIT, SCREEN)))
    assert there, ".ci/other-browsers says what to install"
    with request.param(tmp_path_factory.mktemp("browser")) as (go, run):
        yield Reader(served, go, run)


@pytest.mark.parametrize("stem", CHAPTERS)
def test_every_stub_fails_and_every_solution_holds(reader, stem):
    reader.go(f"exercises/{stem}.html")
    solved = solutions(stem)
    told = reader.run_all()
    assert told.keys() == solved.keys()
    assert all(each["fails"] for each in told.values())
    for name, code in solved.items():
        reader.write(name, code)
    assert not {name: each["text"] for name, each in reader.run_all().items() if each["fails"]}


def test_ten_mistakes_are_named_and_an_endless_loop_is_ended(reader):
    reader.go(ATTENTION)
    right = solutions("attention")
    for name, code in right.items():
        reader.write(name, code)
    for name, expression, called in MISTAKES:
        definition = re.match(r"def .*:\n", right[f"attention-{name}"])[0]
        reader.write(f"attention-{name}", f"{definition}    return {expression}\n")
        assert f"{called}." in reader.run(f"attention-{name}")
        reader.write(f"attention-{name}", right[f"attention-{name}"])
    reader.write("attention-attention", "def attention(q, k, v):\n    while True:\n        pass\n")
    assert "within 10 seconds" in reader.run("attention-attention")
    reader.write("attention-attention", right["attention-attention"])
    # What comes late, on a machine that has much to do, is ended too.
    patiently(lambda: "attention is right" in reader.run("attention-attention"))


@pytest.mark.parametrize("place", ["http", "file"])
def test_work_is_kept_seen_taken_along_and_brought_back(reader, place):
    site = {"http": reader.address, "file": SITE.as_uri()}[place]
    name, solved = "attention-lookup", solutions("attention")
    reader.go(ATTENTION, site)
    reader.does(FORGET)
    reader.go(ATTENTION, site)
    reader.write(name, solved[name])
    reader.run(name)
    reader.go("book/attention.html", site)
    assert reader.does(SIGN) == f", 1 of {len(solved)} exercises done"
    reader.go(ATTENTION, site)
    assert reader.does(SHOWN, NAME=name) == solved[name]
    reader.does(TAKE)
    notebook = json.loads(reader.does("return window.taken ?? '';"))
    (cell,) = (cell for cell in notebook["cells"] if cell["id"] == name)
    assert "".join(cell["source"]) == solved[name]
    cell["source"] = ["changed = 1"]
    reader.does(BRING, NOTEBOOK=json.dumps(notebook))
    assert "1 answer" in reader.does(BROUGHT)
    reader.go(ATTENTION, site)
    assert reader.does(SHOWN, NAME=name) == "changed = 1"


def test_a_walk_from_ones_own_characters_to_the_next_one(reader):
    text = "My lord, I will n"
    reader.go("book/whole_model.html")
    reader.does(TYPE, TEXT=text)
    for operation in _gpt_walk.walk(text):
        title, where, readout, result = json.loads(reader.does(ON))
        assert title.endswith(f": {_gpt_walk.DOES[operation.name][0]}{operation.shape}")
        assert where.startswith(operation.line.text)
        first = operation.values.flatten()[0].item()
        told = float(readout.split(": ")[-1].replace("−", "-"))
        assert told == pytest.approx(first, abs=0.02 * max(1, abs(first)))
    assert result == f"Next: {_gpt_walk.outcome(text)}."
