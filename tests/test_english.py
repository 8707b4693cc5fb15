"""The English of the code: how docstrings begin, and words that no engineer writes today."""

import ast
import re
import tokenize

import pytest

from tests.test_structure import FOLDERS, ROOT

#: A function returns, raises, reads, builds: it does not give, say or tell.
BEGINNINGS = re.compile(r"(Ask|Give|Have|Hear|Lay|Let|Note|Put|Refuse|Say|Take|Tell)s?\b")
QUAINT = re.compile(
    r"(?<![-\w])(hence|lest|mend(s|ed|ing)?|shall|tell whether|whence|whoever)(?![-\w])", re.I
)
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@pytest.mark.parametrize("folder", [*FOLDERS, "benchmarks", "tools"])
def test_docstrings_and_comments_are_in_current_english(folder):
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        place = path.relative_to(ROOT)
        for node in ast.walk(ast.parse(path.read_text("utf8"))):
            text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
            if text and (BEGINNINGS.match(text) or QUAINT.search(text)):
                found.append(f"{place}: {text.splitlines()[0]}")
        with tokenize.open(path) as file:
            comments = [
                t for t in tokenize.generate_tokens(file.readline) if t.type == tokenize.COMMENT
            ]
        found += [f"{place}: {c.string}" for c in comments if QUAINT.search(c.string)]
    assert not found


@pytest.mark.parametrize("folder", ["book", "exercises"])
def test_docstrings_in_the_cells_of_pages_are_too(folder):
    said = [
        (path.name, text)
        for path in (ROOT / folder).glob("*.md")
        for text in re.findall(r'^\s+"""(.*)', path.read_text("utf8"), re.MULTILINE)
    ]
    assert len(said) > 30
    assert not [f"{page}: {text}" for page, text in said if BEGINNINGS.match(text)]


@pytest.mark.parametrize("folder", ["page", "transformer_lab/widgets"])
def test_comments_in_javascript_are_too(folder):
    scripts = [p for p in (ROOT / folder).rglob("*.js") if "node_modules" not in p.parts]
    said = [
        (path.relative_to(ROOT), text)
        for path in scripts
        for text in re.findall(r"/\*\*\s+(?:\* )?(.*)", path.read_text("utf8"))
    ]
    assert len(said) > 100
    assert not [
        f"{place}: {text}" for place, text in said if BEGINNINGS.match(text) or QUAINT.search(text)
    ]
