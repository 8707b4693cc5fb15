"""The English of the code: how docstrings begin, and words that no engineer writes today."""

import ast
import io
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
#: Docstrings in cells of a page, and in scripts.
DOCSTRINGS = {".md": r'^\s+"""(.*)', ".js": r"/\*\*\s+(?:\* )?(.*)"}


def said(path):
    text = path.read_text("utf8")
    if path.suffix != ".py":
        return re.findall(DOCSTRINGS[path.suffix], text, re.MULTILINE)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, DOCUMENTED)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return [ast.get_docstring(node) or "" for node in nodes] + comments


@pytest.mark.parametrize(
    "files",
    [*(f"{folder}/**/*.py" for folder in (*FOLDERS, "benchmarks", "tools")), "book/*.md",
     "exercises/*.md", "page/**/*.js", "widgets/*.js"],
)  # fmt: skip
def test_docstrings_and_comments_are_in_current_english(files):
    paths = [path for path in ROOT.glob(files) if "node_modules" not in path.parts]
    told = [(str(path.relative_to(ROOT)), text) for path in paths for text in said(path)]
    assert len(told) > 30
    assert not [one for one in told if BEGINNINGS.match(one[1]) or QUAINT.search(one[1])]
