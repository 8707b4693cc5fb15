"""Pages are executed again when what they can import has changed, and only then."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

from transformer_lab.publish.sphinxext import execution

HEAD = """---
file_format: mystnb
kernelspec:
  name: python3
  display_name: Python 3
---

# Page

"""
CONFIG = """
extensions = ["myst_nb", "transformer_lab.publish.sphinxext.execution"]
nb_execution_mode = "cache"
"""


def test_only_the_cache_of_this_package_is_kept_and_files_are_left_alone(tmp_path, monkeypatch):
    for name in ("TRANSFORMER_LAB_STATIC", "TQDM_DISABLE"):
        monkeypatch.setenv(name, "")  # set below; as it was again afterwards
    app, config = SimpleNamespace(outdir=tmp_path / "html"), SimpleNamespace()
    cache = tmp_path / "cache"
    (cache / "an older state" / "cards").mkdir(parents=True)
    (cache / ".DS_Store").touch()
    present = cache / execution.package_hash("*.py", execution.NOT_EXECUTED)
    present.mkdir()
    execution._configure(app, config)
    assert {*cache.iterdir()} == {present, cache / ".DS_Store"}
    assert config.nb_execution_cache_path == str(present)


def test_a_changed_model_executes_a_page_again_and_a_changed_grader_does_not(tmp_path):
    package, book, log = tmp_path / "transformer_lab", tmp_path / "book", tmp_path / "log"
    shutil.copytree(execution.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    book.mkdir()
    (book / "conf.py").write_text(CONFIG, "utf8")
    code = f"import transformer_lab.norm\nprint('run', file=open({str(log)!r}, 'a'))\n"
    (book / "index.md").write_text(f"{HEAD}```{{code-cell}} ipython3\n{code}```\n", "utf8")

    def executions():
        command = [sys.executable, "-m", "sphinx", "-q", str(book), str(tmp_path / "_build/html")]
        env = os.environ | {"PYTHONPATH": str(tmp_path)}
        subprocess.run(command, env=env, cwd=tmp_path, check=True, capture_output=True)
        return len(log.read_text("utf8").splitlines())

    assert [executions(), executions()] == [1, 1]
    for changed, expected in (("grading/judge.py", 1), ("norm.py", 2)):
        with (package / changed).open("a", encoding="utf8") as file:
            file.write("# changed\n")
        assert executions() == expected, changed
