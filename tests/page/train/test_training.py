"""A training on the page is torch's, and gpt.py's: start, batches and losses from one seed."""

import pytest
import torch
from safetensors.torch import load_file

from tests.page.train.reference import gpt
from transformer_lab.widgets._training import Training
from transformer_lab.widgets.learning_to_write import pieces

TEXT = "".join(f"{n} green bottles hanging on the wall,\n" for n in range(40, 0, -1))
CONFIG = {"width": 24, "heads": 3, "layers": 2}
#: The first steps are so large that gradients are clipped.
PLANS = [{"steps": 30, "peak": 5e-2, "warmUp": 10}, {"steps": 20, "peak": 2e-3, "warmUp": 5}]


def twin(seed, plans):
    """Train with torch as a notebook's kernel does; return the training, its losses and looks."""
    training = Training(TEXT, config=CONFIG, plan=plans[0], seed=seed)
    losses, looks = [], [training.held_out()]
    for n, plan in enumerate(plans):
        if n:
            training.more(plan)
        while training.step < training.end:
            losses.append(training.next())
        looks.append(training.held_out())
    return training, losses, looks


def test_a_training_is_torchs_step_by_step(ask, folder):
    """The first 50 steps, from the same start over the same batches."""
    training, losses, looks = twin(4, PLANS)
    told = ask("train", text=TEXT, config=CONFIG, plans=PLANS, seed=4, file="trained.safetensors")
    assert told["step"] == training.step == 50
    assert told["losses"] == pytest.approx(losses, abs=1e-4)
    assert told["looks"] == pytest.approx(looks, abs=1e-4)
    assert told["written"] == training.write(50)
    parameters = load_file(folder / "trained.safetensors")
    for name, values in training.model.state_dict().items():
        torch.testing.assert_close(parameters[name], values, rtol=1e-3, atol=1e-3)


def test_torchs_training_is_that_of_gpt_py():
    """The same seed, and gpt.py's own loop."""
    training, _, _ = twin(4, [{"steps": 10, "peak": 4e-3, "warmUp": 50}])
    vocabulary = sorted({*TEXT})
    ids = torch.tensor([vocabulary.index(character) for character in TEXT])
    torch.manual_seed(4)
    model = gpt.GPT(len(vocabulary), **CONFIG)
    assert len([*gpt.train(model, ids[: len(ids) * 9 // 10], 10)]) == 10
    for name, values in model.state_dict().items():
        torch.testing.assert_close(training.model.state_dict()[name], values)


@pytest.mark.parametrize("file", ["of_page", "of_torch"])
def test_a_model_goes_from_the_page_to_torch_and_back(ask, folder, file):
    training, _, _ = twin(0, PLANS[:1])
    ask("train", text=TEXT, config=CONFIG, plans=PLANS[:1], seed=0, file="of_page")
    (folder / "of_torch").write_bytes(training.saved())
    content = (folder / file).read_bytes()
    again = Training(TEXT, config={}, plan=PLANS[0] | {"steps": 0}, saved=content)
    assert again.write(50) == ask("generate", file=file, how={"seed": 0})


def test_the_same_seed_gives_the_same_digits_and_another_others(ask):
    def train(seed):
        return ask("train", text=TEXT, config=CONFIG, plans=PLANS[1:], seed=seed, file="same")

    one, other = train(1), train(2)
    assert train(1) == one
    assert one["losses"] != other["losses"]


def test_a_saved_model_writes_what_it_wrote_before(ask):
    told = ask("train", text=TEXT, config=CONFIG, plans=PLANS[:1], seed=0, file="kept")
    assert len(told["written"]) == 50
    assert ask("generate", file="kept", how={"seed": 0}) == told["written"]
    assert ask("generate", file="kept", how={"seed": 7}) != told["written"]
    assert ask("generate", file="kept", how={"prompt": "gr☃"})  # a snowman is not known


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda content: b"not a model", "not a model"),
        (lambda content: b"", "not a model"),
        (lambda content: content[:-8], "too early"),
        (lambda content: content.replace(b"vocabulary", b"vocabulari"), "vocabulary"),
        (lambda content: content.replace(b'"shape":[24]', b'"shape":[23]', 1), "24"),
        (lambda content: content.replace(b"F32", b"F16", 1), "float32"),
    ],
)
def test_a_file_that_holds_no_model_is_told(ask, folder, change, word):
    ask("start", file="whole", seed=0, config=CONFIG | {"symbols": 9})
    changed = change((folder / "whole").read_bytes())
    (folder / "changed").write_bytes(changed)
    assert word in ask("generate", file="changed")
    with pytest.raises(ValueError, match=r"model|vocabulary|parameters"):
        Training(TEXT, config={}, plan=PLANS[0], saved=changed)


def test_a_vocabulary_is_sorted_as_python_sorts(ask):
    text = "🙂z\ue000é a" * 10
    (told,) = ask("encoded", texts=[[text]])
    assert told["vocabulary"] == sorted({*text, "\n"})
    ids = [told["vocabulary"].index(character) for character in text]
    assert (told["data"], told["held"]) == (ids[:54], ids[54:])


def test_another_text_is_held_out_and_what_a_model_does_not_know_left_out(ask):
    apart, known = ask("encoded", texts=[["aab", "cab"], ["a☃b" * 10, None, ["a", "b"]]])
    assert apart == {"vocabulary": ["\n", "a", "b", "c"], "data": [1, 1, 2], "held": [3, 1, 2]}
    assert known == {"vocabulary": ["a", "b"], "data": [0, 1] * 9, "held": [0, 1]}


def test_words_of_a_text_are_found_in_another_without_regard_to_capitals(ask):
    text = "The wall, ther Größe is"
    told = ask("pieces", text=text, known="the WALL größe")
    assert told == {"pieces": ["", "The", " ", "wall", ", ther ", "Größe", " is"], "share": 0.75}
    assert [*told.values()] == [*pieces(text, {"the", "wall", "größe"})]


SETTINGS = {"text": "play", "size": "48x2", "steps": 0, "seed": 0, "rung": "layers"}


def asked(ask, call, *given):
    return ask("settings", call=call, given=given)


def test_settings_stand_in_a_link_and_are_read_from_it(ask):
    changed = SETTINGS | {
        "steps": 400,
        "seed": 3,
        "rung": "feed-forward",
        "without": ["mask", "heads"],
    }
    words = asked(ask, "linked", changed)
    assert asked(ask, "read", words) == changed
    assert asked(ask, "linked", SETTINGS | {"size": "", "without": []}) == ""
    usual = asked(ask, "read", "")
    assert asked(ask, "read", "size=1x1,steps=-3,rung=ladder,without=nothing,seed=x") == usual


def test_what_a_rung_lacks_cannot_be_taken_out(ask):
    plan = asked(ask, "planned", SETTINGS | {"rung": "bigram", "without": ["mask", "warm-up"]})
    assert "mask" not in plan["config"]
    assert plan["plan"]["warmUp"] == 0
    whole = asked(ask, "planned", SETTINGS | {"without": ["mask", "heads"]})
    assert whole["config"] == {"width": 48, "layers": 2, "heads": 1, "mask": False}


def test_a_fast_machine_is_proposed_a_larger_model(ask):
    sizes = [asked(ask, "proposed", ms) for ms in (5, 15, 100)]
    widths = [int(size.split("x")[0]) for size in sizes]
    assert widths == [96, 48, 24]
