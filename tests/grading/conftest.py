"""Notebooks as learners hand them in."""

import json

import pytest
import torch

from transformer_lab.notebooks import read_notebook

torch.set_num_threads(1)  # the matrices are tiny: a second thread only waits


@pytest.fixture
def submit(tmp_path):
    """Write the exercise with some answers replaced; the others are right unless `stub`."""

    def write(answers=(), *, stub=False, more=(), name="submission.ipynb"):
        notebook = json.loads(json.dumps(read_notebook("exercises/attention", solved=not stub)))
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
