"""The workflows on GitHub: they call what exists, and what they do besides works here too."""

import itertools
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_notebook
from packaging.requirements import Requirement

from lab_notebooks.addresses import BRANCH

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text("utf8")
GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["dependency-groups"]
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text("utf8"))
    for path in sorted((ROOT / ".github/workflows").glob("*.yml"))
}
STEPS = [
    pytest.param(step, id=f"{name}-{job}-{number}")
    for name, workflow in WORKFLOWS.items()
    for job, content in workflow["jobs"].items()
    for number, step in enumerate(content["steps"])
]
STILL = {"image/png": "iVBORw0KGgo=", "application/vnd.jupyter.widget-view+json": {"model_id": "1"}}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_uses_a_pinned_action_or_runs_what_is_there(step):
    if "uses" in step:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])
        return
    targets = re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)
    for line in step["run"].splitlines():
        command, *words = line.split()
        if command == "make":
            assert words
            stamps = re.findall(r"^(\.venv/[a-z]+\.done):", MAKEFILE, re.MULTILINE)
            assert set(words) <= {*targets, *stamps}, line
        for script in re.findall(r"(?<![\w/])\.ci/[\w-]+", line):
            assert os.access(ROOT / script, os.X_OK), line


def test_each_workflow_says_when_and_with_which_rights():
    assert set(WORKFLOWS) == {"test", "publish", "weekly"}
    for name, workflow in WORKFLOWS.items():
        when = workflow[True]  # YAML 1.1 reads `on` as true
        if name == "weekly":
            (entry,) = when["schedule"]
            assert re.fullmatch(r"\d+ \d+ \* \* [0-6]", entry["cron"])
            assert "workflow_dispatch" in when
        else:
            assert when["push"] == {"branches": ["main"]}
    assert "pull_request" in WORKFLOWS["test"][True]
    assert "pull_request" not in WORKFLOWS["publish"][True]


def test_only_what_publishes_may_write():
    """A pull request's code runs in the others; the site's job runs nobody's."""
    may = {name: workflow["permissions"] for name, workflow in WORKFLOWS.items()}
    assert may == {"test": {"contents": "read"}, "weekly": {"contents": "read"}, "publish": {}}
    more = {
        (name, job): content["permissions"]
        for name, workflow in WORKFLOWS.items()
        for job, content in workflow["jobs"].items()
        if "permissions" in content
    }
    assert more == {
        ("publish", "assets"): {"contents": "write"},
        ("publish", "build"): {"contents": "write"},
        ("publish", "site"): {"pages": "write", "id-token": "write"},
    }
    checkouts = [s.values[0] for s in STEPS if "actions/checkout" in s.values[0].get("uses", "")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_every_job_has_an_end():
    jobs = [job for workflow in WORKFLOWS.values() for job in workflow["jobs"].values()]
    assert all(job["timeout-minutes"] <= 150 for job in jobs)


def test_the_tests_run_on_every_python_we_promise():
    job = WORKFLOWS["test"]["jobs"]["test"]
    versions = job["strategy"]["matrix"]["python"]
    assert f">={versions[0]}" == PROJECT["requires-python"]
    assert versions == [f"3.{11 + n}" for n in range(len(versions))]
    tried = re.search(r"Python 3\.11 to (3\.\d+)", (ROOT / "README.md").read_text("utf8"))[1]
    assert tried in versions


def test_the_jobs_run_together_all_that_make_test_runs():
    """Whoever reads the result sees at once what is wrong: style, code or pages."""
    jobs = WORKFLOWS["test"]["jobs"]
    assert jobs["lint"]["steps"][-1] == {"run": "make lint"}
    chosen = {name: re.search(r'-m "(.+)"', jobs[name]["steps"][-1]["run"])[1]
              for name in ("test", "browser")}  # fmt: skip
    assert chosen == {"test": "not slow and not browser", "browser": "browser and not slow"}
    for name in chosen:
        assert jobs[name]["steps"][-2] == {"run": "make html .venv/test.done"}
    assert "--cov=transformer_lab" in jobs["test"]["steps"][-1]["run"]
    assert jobs["full"]["steps"][-1] == {"run": "make test-full"}
    assert jobs["full"]["if"] == "github.event_name == 'push'"


def test_what_is_overtaken_is_cancelled_but_never_half_published():
    assert WORKFLOWS["test"]["concurrency"]["cancel-in-progress"] is True
    assert "github.ref" in WORKFLOWS["test"]["concurrency"]["group"]
    assert isinstance(WORKFLOWS["publish"]["concurrency"], str)  # waits for the one before


def test_the_oldest_and_the_newest_versions_are_tried():
    oldest = WORKFLOWS["test"]["jobs"]["oldest"]["steps"]
    assert oldest[-1] == {"run": "make oldest"}
    assert f">={oldest[1]['with']['python-version']}" == PROJECT["requires-python"]
    steps = [step.get("run") for step in WORKFLOWS["weekly"]["jobs"]["newest"]["steps"]]
    assert steps.index("make constraints") < steps.index("make test")


def test_the_oldest_versions_are_the_ends_of_our_ranges():
    printed = subprocess.check_output([sys.executable, ROOT / ".ci/oldest"], text=True)
    ends = dict(line.split("==") for line in printed.splitlines())
    wanted = [
        *PROJECT["dependencies"],
        *itertools.chain(*PROJECT["optional-dependencies"].values()),
        *(name for group in GROUPS.values() for name in group if isinstance(name, str)),
    ]
    for requirement in map(Requirement, wanted):
        (bound,) = [s.version for s in requirement.specifier if s.operator == ">="]
        assert ends[requirement.name] == bound
        assert requirement.specifier.contains(bound)


def test_new_versions_are_proposed_together_and_never_for_the_real_models():
    updates = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text("utf8"))["updates"]
    assert {u["package-ecosystem"] for u in updates} == {"github-actions", "npm", "pip"}
    assert all(len(update["groups"]) == 1 for update in updates)
    (pip,) = [update for update in updates if update["package-ecosystem"] == "pip"]
    models = re.findall(
        r"^([\w-]+)==", (ROOT / "requirements-pretrained.txt").read_text("utf8"), re.MULTILINE
    )
    assert [entry["dependency-name"] for entry in pip["ignore"]] == models


def test_the_site_that_is_published_is_the_one_that_make_html_builds():
    steps = WORKFLOWS["publish"]["jobs"]["build"]["steps"]
    (upload,) = [step for step in steps if "upload-pages-artifact" in step.get("uses", "")]
    assert upload["with"]["path"] == "_build/html"
    assert {"run": "make html"} in steps[: steps.index(upload)]
    assert "_build/html" in MAKEFILE


def test_the_workflows_name_no_host():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        assert "://" not in path.read_text("utf8")


def test_the_notebooks_reach_their_branch(tmp_path):
    (push,) = [
        s for s in WORKFLOWS["publish"]["jobs"]["build"]["steps"] if "TOKEN" in s.get("env", {})
    ]
    assert push["working-directory"] == "build/notebooks"
    (tmp_path / "build/book").mkdir(parents=True)
    bare = tmp_path / "owner/name"
    git = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "--quiet", "--bare", bare], check=True)
    github = {"GITHUB_SERVER_URL": tmp_path.as_uri(), "GITHUB_REPOSITORY": "owner/name"}
    environment = os.environ | git | github | {"TOKEN": "secret", "GITHUB_SHA": "abc"}
    for text in ("first", "second"):  # the second must replace the first
        notebook = tmp_path / "build/book/attention.ipynb"
        notebook.write_text(text, "utf8")
        subprocess.run(
            ["bash", "-eo", "pipefail", "-c", push["run"]],
            cwd=tmp_path / "build", env=environment, check=True,
        )  # fmt: skip
        shown = ["git", "-C", bare, "show", f"{BRANCH}:book/attention.ipynb"]
        assert subprocess.check_output(shown, text=True) == text
        subprocess.run(["rm", "-rf", tmp_path / "build/.git"], check=True)  # a runner starts anew


def run_notebook(folder, source):
    folder.mkdir()
    path = folder / "one.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(source)]), path)
    script = [sys.executable, ROOT / ".ci/run-notebooks", folder]
    return subprocess.run(script, capture_output=True, text=True), path


@pytest.mark.notebook
def test_a_published_notebook_shows_a_widgets_still_picture(tmp_path):
    source = f"from IPython.display import display\ndisplay({STILL}, raw=True)\n2 + 3"
    done, path = run_notebook(tmp_path / "good", source)
    assert done.returncode == 0, done.stderr
    picture, number = nbformat.read(path, as_version=4).cells[0].outputs
    assert list(picture["data"]) == ["image/png"]
    assert number["data"]["text/plain"] == "5"


def test_where_there_is_no_notebook_nothing_is_published(tmp_path):
    script = [sys.executable, ROOT / ".ci/run-notebooks", tmp_path / "nowhere"]
    done = subprocess.run(script, capture_output=True, text=True)
    assert done.returncode != 0
    assert "no notebooks in" in done.stderr


@pytest.mark.notebook
def test_a_chapter_that_fails_is_not_published(tmp_path):
    done, _ = run_notebook(tmp_path / "bad", "1 / 0")
    assert done.returncode != 0
    assert "ZeroDivisionError" in done.stderr
