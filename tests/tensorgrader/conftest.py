"""Notebooks as learners hand them in."""

import json
from functools import cache

import pytest

from lab_notebooks.notebooks import read_notebook
from tensorgrader.source.forms import solved_text, student_text


@cache
def as_json(chapter, form):
    return json.dumps(read_notebook(f"exercises/{chapter}", form))


@pytest.fixture
def submit(tmp_path):
    """Write an exercise with some answers replaced; the others are right unless `stub`."""

    def write(answers=(), *, chapter="attention", stub=False, more=(), name="submission.ipynb"):
        notebook = json.loads(as_json(chapter, student_text if stub else solved_text))
        for cell in notebook["cells"]:
            identity = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = dict(answers).get(identity, cell["source"])
        for source in more:
            extra = {"cell_type": "code", "metadata": {}, "source": source, "outputs": []}
            notebook["cells"].append(extra)
        path = tmp_path / name
        path.write_text(json.dumps(notebook), "utf8")
        return path

    return write
