"""Take parts over with the page's PyTorch, in a process of its own.

Reads a list of [answers, parts, sizes] as JSON; writes what the page's Python tells of each.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[3]
STAND_INS = (ROOT / "page_torch/torch", *sorted((ROOT / "page/stand_ins").glob("*.py")))


def taken_over(asked):
    with TemporaryDirectory() as folder:
        for path in STAND_INS:
            if path.name != "__init__.py":
                Path(folder, path.name).symlink_to(path)
        done = subprocess.run(
            [sys.executable, __file__],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": os.pathsep.join([folder, str(ROOT)])},
            input=json.dumps(asked), capture_output=True, text=True,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def main():
    import torch

    from page.book import begin

    assert torch.__version__.endswith("+page"), torch.__file__
    told = []
    for answers, parts, sizes in json.load(sys.stdin):
        question = {"cell": "", "answers": answers, "parts": parts, "sizes": sizes}
        told.append(json.loads(begin().answer(json.dumps(question)))["frame"])
    print(json.dumps(told))


if __name__ == "__main__":
    main()
