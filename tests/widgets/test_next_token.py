"""Next token: the tree of texts against generating each of them, and the rules against sampling."""

from contextlib import ExitStack

import pytest
import torch

from transformer_lab.beam_search import beam_search
from transformer_lab.generate import GivenSource, generation_steps, next_token_logits
from transformer_lab.pretrained.bergamot import END
from transformer_lab.pretrained.smollm2 import END_OF_TURN
from transformer_lab.sampling import sample
from transformer_lab.trace import ablate_heads
from transformer_lab.widgets import NextToken
from transformer_lab.widgets._real import real_model
from transformer_lab.widgets.next_token import (
    BEGINNINGS,
    CANDIDATES,
    DICE,
    LONG,
    MOST,
    chosen,
    probabilities,
    tree,
    walk,
)

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time

#: SmolLM2's texts take half a minute to grow, and as long to be written one by one.
MODELS = ["translator", pytest.param("SmolLM2", marks=pytest.mark.slow)]
GRID = NextToken.grid()


def writer_of(name, beginning):
    real = real_model(name)
    ids, _ = real.tokenizer.encode([beginning])
    if name == "SmolLM2":
        return real, real.model, ids, END_OF_TURN
    given = GivenSource(real.model, ids)
    return real, given, given.start, END


@pytest.mark.parametrize("name", MODELS)
def test_a_text_of_the_tree_is_the_one_that_generation_writes(name):
    real, writer, prompt, end = writer_of(name, BEGINNINGS[0])
    _, nodes, _ = tree(name, BEGINNINGS[0])
    rule = temperature, top_k, top_p = 1.5, 8, 0.9
    dice = iter(DICE[1])
    path = walk(nodes, rule, DICE[1])

    def throw(logits):
        best = logits.topk(CANDIDATES).indices
        keep = logits[0, best[0]] - logits.max()
        number = chosen(probabilities(keep.half().double(), temperature, top_k, top_p), next(dice))
        return best[:, number]

    steps = generation_steps(
        writer,
        prompt,
        max_new_tokens=MOST[name],
        choose=throw,
        eos_id=end,
        pad_id=end,
        use_cache=False,
    )
    written = torch.stack([step.tokens for step in steps], dim=-1)
    written = written[written != end][None]
    assert real.tokenizer.decode(written) == [nodes[path[-1]].text]
    logits = next_token_logits(writer, torch.cat([prompt, written], dim=-1))[0]
    best, candidates = logits.topk(CANDIDATES)
    node = nodes[path[-1]]
    torch.testing.assert_close(node.logits.float(), best - best[0], rtol=1e-3, atol=2e-3)
    assert node.names[0] == real.tokenizer.pieces(candidates)[0].strip()
    others = 1 - logits.softmax(-1)[candidates].sum()
    assert node.others == pytest.approx(others.item(), abs=1e-4)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_whatever_the_controls_say_leads_to_a_text(name, beginning):
    _, nodes, _ = tree(name, beginning)
    reached = set()
    for temperature in GRID["temperature"]:
        for top_k in GRID["top_k"]:
            for top_p in GRID["top_p"]:
                for numbers in DICE:
                    path = walk(nodes, (temperature, top_k, top_p), numbers)
                    reached.update(path)
                    if len(path) <= MOST[name]:
                        last = nodes[path[-1]]
                        left = probabilities(last.logits, temperature, top_k, top_p)
                        pick = chosen(left, numbers[len(path) - 1])
                        assert last.names[pick] in ("</s>", "<|im_end|>")
    assert reached == set(range(len(nodes))), "and no text is kept that nothing leads to"


@pytest.mark.parametrize("rule", [(0.5, 12, 1.0), (1.0, 4, 1.0), (1.5, 12, 0.8), (2.0, 8, 0.5)])
def test_the_probabilities_are_those_that_sampling_draws_by(rule):
    temperature, top_k, top_p = rule
    logits = -torch.arange(CANDIDATES).double() / 4
    drawn = sample(
        logits.expand(20_000, -1),
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        generator=torch.Generator().manual_seed(0),
    )
    shares = torch.bincount(drawn, minlength=CANDIDATES) / 20_000
    torch.testing.assert_close(shares, probabilities(logits, *rule).float(), rtol=0, atol=0.015)


def test_the_rivals_are_the_greedy_text_and_the_best_of_four_beams():
    real, writer, prompt, end = writer_of("translator", BEGINNINGS[1])
    _, _, (greedy, beams) = tree("translator", BEGINNINGS[1])
    steps = generation_steps(
        writer, prompt, max_new_tokens=LONG["translator"], eos_id=end, pad_id=end
    )
    logs, tokens = [], []
    for step in steps:
        logs.append(step.logits.log_softmax(-1)[0, step.tokens[0]].item())
        tokens.append(step.tokens)
    assert greedy["text"] == real.tokenizer.decode(torch.stack(tokens, dim=-1))[0]
    assert greedy["log"] == pytest.approx(sum(logs), abs=0.006)
    most = LONG["translator"]
    best = beam_search(
        writer, prompt, beams=4, max_new_tokens=most, eos_id=end, pad_id=end, penalty=lambda _: 1.0
    )
    assert beams["text"] == real.tokenizer.decode(best.tokens[0])[0]
    assert beams["log"] == pytest.approx(best.scores[0, 0].item(), abs=0.006)
    assert beams["log"] > greedy["log"], "here it pays not to be greedy"


def test_a_beginning_of_ones_own_is_gone_on_from():
    frame = NextToken(model="translator", tokens=["The", "fish", "sleeps"]).frame
    assert frame["source"][:2] == ["The", "fish"]
    assert frame["nodes"][0]["names"][0] == "O"


def test_silent_heads_change_every_text_and_the_unchanged_one_is_told():
    silent, sentence = [[0, 5], [1, 2]], "The cat eats fish."
    frame = NextToken(model="translator", tokens=sentence.split(), silent=silent).frame
    real, _, _, _ = writer_of("translator", sentence)
    with ExitStack() as stack:
        for layer, head in silent:
            layers = real.model.decoder.layers
            stack.enter_context(ablate_heads(layers[layer].cross_attention, [head]))
        _, writer, prompt, _ = writer_of("translator", sentence)
        likeliest = next_token_logits(writer, prompt)[0].topk(CANDIDATES)
    below = torch.frombuffer(bytearray(frame["logits"]), dtype=torch.half)[:CANDIDATES]
    expected = likeliest.values - likeliest.values[0]
    torch.testing.assert_close(below.float(), expected, rtol=1e-3, atol=1e-3)
    texts = {rival["name"]: rival["text"] for rival in frame["rivals"]}
    assert texts["unchanged"] == "O gato come peixe."
    assert texts["greedy"] != texts["unchanged"]


def test_the_gpt_says_what_comes_next_and_where_its_heads_look():
    text = "ROMEO.\nWhat say you, m"
    widget = NextToken(text=text)
    real = real_model("GPT")
    ids, _ = real.tokenizer.encode([text])
    with torch.no_grad():
        logits = real.model(ids)[0, -1]
    (node,) = widget.frame["nodes"]
    below = torch.frombuffer(bytearray(widget.frame["logits"]), dtype=torch.half)
    for name, value in zip(node["names"], below, strict=True):
        (id,) = (i for i in range(80) if real.tokenizer.pieces(torch.tensor([i])) == [name])
        assert value == pytest.approx((logits[id] - logits.max()).item(), abs=5e-3)
    assert node["names"][0] == "y"
    assert widget.frame["source"][:7] == [*"ROMEO.", "↵"]
    looks = torch.frombuffer(bytearray(widget.frame["looks"]), dtype=torch.uint8) / 255
    rows = looks.view(3, 3, len(text))
    torch.testing.assert_close(rows.sum(-1), torch.ones(3, 3), rtol=0, atol=0.05)


def test_the_gpt_reads_the_last_64_characters_that_it_knows():
    long = "Good morrow, noble sir. " * 5
    assert NextToken(text=long).frame["nodes"] == NextToken(text=long[-64:]).frame["nodes"]
    odd = NextToken(text="Gööd").frame
    assert odd["source"] == ["G", "d"]
    assert "ö" in odd["note"]
    assert NextToken(text="").frame["source"] == ["↵"]
    with pytest.raises(ValueError, match="4000"):
        NextToken(text="a" * 5000)
