"""A page's policy: nothing from elsewhere, and of scripts in the page those that stand there."""

import re

from book._ext.policy import policy, with_policy
from tensorgrader.sphinx.packing import frame, source_hash
from transformer_lab.widgets.train_here import PLACE

TEXT = """<html><head>
<meta charset="utf-8" />
<script>let a = 1;</script></head><body></body></html>"""
TRAIN = TEXT.replace("<body>", f"<body>{PLACE}")
WORDS = TEXT.replace("<body>", '<body><script defer src="host.js" data-words="{}"></script>')
LAB = TEXT.replace("<body>", '<body><script defer src="exercises.js" data-files="{}"></script>')


def rules(page):
    return dict(rule.strip().split(" ", 1) for rule in policy(page).split(";"))


def test_a_script_of_the_page_is_named_by_its_hash():
    told = rules(TEXT)
    assert told["script-src"] == f"'self' '{source_hash('let a = 1;')}'"
    assert source_hash("") == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="


def test_only_exercises_and_models_may_run_webassembly_and_a_worker():
    assert "worker-src" not in rules(TEXT)
    assert "wasm" not in rules(TEXT)["script-src"]
    for page in (LAB, WORDS, TRAIN):
        told = rules(page)
        assert told["worker-src"] == "blob:"
        assert "'wasm-unsafe-eval'" in told["script-src"]
    (script,) = re.findall(r"<script>(.*)</script>", frame(), re.DOTALL)
    assert f"'{source_hash(script)}'" in rules(LAB)["script-src"]
    assert f"'{source_hash(script)}'" not in rules(WORDS)["script-src"]


def test_nothing_laxer_is_allowed():
    for page in (TEXT, WORDS, TRAIN, LAB):
        told = rules(page)
        assert told["default-src"] == "'self'"
        assert told["object-src"] == "'none'"
        for word in ("'unsafe-eval'", "'unsafe-hashes'", "http", "*"):
            assert word not in policy(page)
        assert "'unsafe-inline'" not in told["script-src"]


def test_the_frame_of_python_reaches_nothing_but_its_worker():
    (told,) = re.findall('content="([^"]*)"', frame())
    words = re.sub(r" 'sha256-[\w+/=]+'", "", told)
    assert words == "default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src blob:"


def test_it_stands_before_whatever_it_is_about():
    page = with_policy(TEXT)
    assert page.index("Content-Security-Policy") < page.index("<script>")
    assert page.index("<meta charset") < page.index("Content-Security-Policy")
    assert with_policy(page) == page
