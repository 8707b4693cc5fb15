"""book/gpt.py: a second writing of the package's decoder, which runs with PyTorch alone."""

import importlib.util
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.sweeps import few
from tests.test_structure import imports
from transformer_lab import DecoderModel
from transformer_lab.tasks.shakespeare import SHAKESPEARE, plays

PATH = Path(__file__).parents[2] / "book/gpt.py"
V = 40

#: What the package calls the parts of gpt.py.
NAMES = {
    "embeddings.": "",
    "decoder.": "",
    "layers.": "blocks.",
    "_residual.": ".",
    ".norm.": "_norm.",
}


def loaded():
    spec = importlib.util.spec_from_file_location("gpt", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gpt = loaded()


@pytest.fixture
def model():
    torch.manual_seed(0)
    return gpt.GPT(V)


def in_gpt(name):
    for theirs, ours in NAMES.items():
        name = name.replace(theirs, ours)
    return name


def test_its_logits_are_the_packages(model):
    package = DecoderModel(replace(SHAKESPEARE.config, vocabulary=V))
    values = model.state_dict()
    package.load_state_dict({name: values[in_gpt(name)] for name in package.state_dict()})
    ids = torch.randint(V, (2, 50), generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(model(ids), package(ids), rtol=1e-4, atol=1e-5)


def test_the_first_loss_is_that_of_logits_with_a_variance_of_a_third(model):
    data = torch.randint(V, (20_000,), generator=torch.Generator().manual_seed(1))
    assert gpt.eval_loss(model, data) == pytest.approx(math.log(V) + 1 / 6, abs=0.05)


def test_it_imports_pytorch_and_the_standard_library_alone():
    names = {name.partition(".")[0] for name in imports(PATH)}
    assert names <= {"torch", *sys.stdlib_module_names}


def test_it_goes_on_from_a_beginning_the_same_for_one_seed(model):
    ids = torch.tensor([[1, 2, 3]])
    one, again = (model.generate(ids, 80, torch.Generator().manual_seed(5)) for _ in range(2))
    assert one.tolist() == again.tolist()
    assert one.shape == (1, 83)
    assert one[:, :3].tolist() == ids.tolist()


def run(*words):
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}  # other tests run beside it
    command = [sys.executable, str(PATH), *words]
    return subprocess.run(command, capture_output=True, text=True, env=alone)


def test_it_learns_a_text_by_itself_and_writes(tmp_path):
    text = tmp_path / "play.txt"
    text.write_text(plays()["Macbeth"][:2000], "utf8")
    done = run("--text", str(text), "--steps", "100")
    assert done.returncode == 0, done.stderr
    measured, _, written = done.stdout.partition("\n")
    assert measured.startswith("step 100: ")
    assert written.startswith(text.read_text("utf8")[0])
    assert len(written.rstrip("\n")) > 400


@pytest.mark.parametrize("size", few([0, 1, 999], 999))
def test_a_text_that_is_too_short_is_refused_in_words(tmp_path, size):
    text = tmp_path / "short.txt"
    text.write_text("a" * size, "utf8")
    done = run("--text", str(text))
    assert done.returncode == 2
    assert f"{size} characters" in done.stderr
