"""An exercise on its page in Firefox and in WebKit, once each: a mistake is named and put right."""

import json
import shutil
import time

import pytest

from tests.browser.drivers import FIREFOX, PATIENCE, SCREEN, WEBKIT, firefox, webkit

pytestmark = pytest.mark.slow
WRITE = """
const answer = document.querySelector("#attention-scores");
answer.querySelector(".highlight[tabindex]")?.focus();
const content = answer.querySelector(".cm-content");
if (!content) return false;
content.focus();
document.execCommand("selectAll");
document.execCommand("insertText", false, CODE);
answer.querySelector(".tl-run").click();
return true;
"""
TOLD = """
const answer = document.querySelector("#attention-scores");
return answer.ariaBusy === "true" ? "" : answer.querySelector(".tl-output").innerText;
"""


def patiently(ask):
    """Ask until something is told."""
    begun = time.monotonic()
    while not (told := ask()):
        assert time.monotonic() - begun < PATIENCE, "nothing is told"
        time.sleep(0.2)
    return told


@pytest.mark.parametrize("browser", [firefox, webkit])
def test_a_mistake_is_named_and_put_right(browser, served, tmp_path):
    there = all(map(shutil.which, (FIREFOX, WEBKIT, SCREEN)))
    assert there, "sudo apt-get install firefox-esr webkit2gtk-driver libgtk-3-bin"
    with browser(tmp_path) as (go, run):
        go(f"{served}/exercises/attention.html")

        def checked(product):
            code = json.dumps(f"def scores(q, k):\n    return {product}\n")
            patiently(lambda: run(WRITE.replace("CODE", code)))
            return patiently(lambda: run(TOLD))

        assert "The keys are not transposed." in checked("q @ k")
        assert "scores is right" in checked("q @ k.mT")
