"""The explorer and `interact` with matplotlib in one JupyterLab, a notebook each."""

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.slider import Slider, explorer, interact, route
from tests.jupyterlab.notebook import Notebook
from tests.jupyterlab.server import Lab

KINDS = {
    "live": "JupyterLab, the explorer",
    "four": "`interact` there, four plain panels",
    "numbers": "`interact` there, four panels with numbers",
    "tiled": "`interact` there, one tiled picture",
}
SHARED = """\
import matplotlib.pyplot as plt
import torch
from ipywidgets import SelectionSlider, interact
from transformer_lab import plots
from transformer_lab.tasks.living import read, sentence
from transformer_lab.widgets import AttentionStepper

def slider():
    return SelectionSlider(options=AttentionStepper.grid()["d_k"], value=4)

def weights_at(d_k):
    return read(tokens, heads=4, d_k=d_k)[0].weights

tokens = sentence()[:6]"""
LIVE = "AttentionStepper(step=11, heads=4, length=6)"
FOUR = """\
@interact(d_k=slider())
def four(d_k):
    weights = weights_at(d_k)
    _, axes = plt.subplots(2, 2, figsize=(6.4, 6.4))
    for head, ax in enumerate(axes.flat):
        ax.imshow(weights[head], cmap=plots.WEIGHTS, vmin=0, vmax=1)
        ax.set_xticks(range(6), tokens)
        ax.set_yticks(range(6), tokens)
        ax.set_title(f"head {head + 1}")
    plt.show()"""
NUMBERS = """\
@interact(d_k=slider())
def numbers(d_k):
    weights = weights_at(d_k)
    _, axes = plt.subplots(2, 2, figsize=(6.4, 6.4), layout="constrained")
    for head, ax in enumerate(axes.flat):
        plots.weights(weights[head], tokens, tokens, ax, title=f"head {head + 1}")
    plt.show()"""
TILED = """\
@interact(d_k=slider())
def tiled(d_k):
    weights = weights_at(d_k)
    pairs = weights.view(2, 2, 6, 6).permute(0, 2, 1, 3)
    _, ax = plt.subplots(figsize=(6.4, 6.4))
    ax.imshow(pairs.reshape(12, 12), cmap=plots.WEIGHTS, vmin=0, vmax=1)
    ax.set_axis_off()
    plt.show()"""
CELLS = {"live": LIVE, "four": FOUR, "numbers": NUMBERS, "tiled": TILED}


def measure(context: BrowserContext, lab: Lab, moves: int) -> dict[str, list[float]]:
    """Time every kind in turn, move by move, so that other load slows all of them."""
    sliders = {kind: _slider(context.new_page(), lab, kind) for kind in KINDS}
    times = {kind: [] for kind in KINDS}
    for index in route(moves):
        for kind, slider in sliders.items():
            times[kind].append(slider.move(index))
    return times


def _slider(page: Page, lab: Lab, kind: str) -> Slider:
    """Run a notebook that holds one kind and nothing else; return its slider."""
    cells = [new_code_cell(source) for source in (SHARED, CELLS[kind])]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    path = f"benchmark-{kind}.ipynb"
    nbformat.write(new_notebook(cells=cells, metadata=metadata), lab.folder / path)
    Notebook(page, lab, path).run_all()
    if kind == "live":
        return explorer(page.locator(".tl-attention-stepper"))
    drawn = page.locator(".widget-interact:has(img)")
    expect(drawn).to_have_count(1)
    return interact(drawn)
