"""Record the trainings that the widget LearningToWrite plays: learning_to_write.json beside it.

usage: python tools/learning_to_write.py      (ten minutes; only to change the page's model)

The model and the loop are those of the page: its cells are run up to the first training.
"""

import json
from pathlib import Path

import jupytext

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "transformer_lab/widgets/learning_to_write.json"

page: dict = {}
for cell in jupytext.read(ROOT / "book/whole_model.md").cells:
    if "LearningToWrite" in cell.source:
        break
    if cell.cell_type == "code" and cell.metadata.get("tags") != ["proof"]:
        exec(cell.source, page)
runs = {}
for name, way in page["ways"].items():
    print(f"== {name}")
    model, seen = way()
    runs[name] = {"seen": seen, "right": page["right"](model.write("\n", 4000))}
    print(runs[name]["right"], flush=True)
    TARGET.write_text(json.dumps(runs, indent=1) + "\n")
