"""Training a GPT on a page: a worker, its kernels and texts, which a button loads.

A page has an element for it, which `TrainHere` makes, filled by page/train/site.js with all its
imports; the rest is packed as scripts, beside it. Without Node, or without an assembler for the
kernels, the book has no training, and says so.
"""

import hashlib
import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from book._ext.jobs import EVENT, Job, cache, elsewhere
from tensorgrader.sphinx import node, packing
from tensorgrader.sphinx.node import PAGE
from tensorgrader.sphinx.packing import scripts
from transformer_lab.widgets import train_here
from transformer_lab.widgets._page import DRAWN

FOLDER = "_static/transformer_lab/"
SOURCES = PAGE / "train"
STYLE = DRAWN / "train_here.css"


def kernels() -> bytes:
    """Return kernels.wat, assembled."""
    from wasmtime import wat2wasm

    return bytes(wat2wasm((SOURCES / "kernels.wat").read_text("utf8")))


def pack(target: Path, npm: Path) -> None:
    """Pack train.js, train.css and train/, in place of older packs in the cache."""
    shutil.rmtree(target.parent, ignore_errors=True)
    folder = target / "train"
    folder.mkdir(parents=True)
    files = {f"{name}.txt": text.encode() for name, text in train_here.texts().items()}
    files |= {"kernels.wasm": kernels()}
    made = node.bundled(npm, SOURCES / "worker.js", SOURCES / "own_worker.js")
    files |= {name: script.encode() for name, script in made.items()}
    manifest = {name: list(scripts(name, content, folder)) for name, content in files.items()}

    def kilobytes(*names: str) -> int:
        return round(sum(size for name in names for _, size in manifest[name]) / 1000)

    sizes = {"play": kilobytes("play.txt"), "plays": kilobytes("plays.txt", "held.txt")}
    trained = {
        "texts": {n: {"title": t, "kilobytes": sizes[n]} for n, t in train_here.TITLES.items()},
        "kilobytes": kilobytes("worker.js", "kernels.wasm"),
        "recorded": train_here.recorded_curve(),
    }
    given = {"PACKED": manifest, "TRAINED": trained}
    (script,) = node.bundled(npm, SOURCES / "site.js", define=given).values()
    (style,) = node.bundled(npm, STYLE).values()
    (target / "train.css").write_text(style, "utf8")
    (target / "train.js").write_text(script, "utf8")


def is_packed(target: Path) -> bool:
    """Return whether a folder has all of it."""
    return (target / "train.js").exists()


def place(cache: Path) -> Path:
    """Return the folder for what is packed of the present sources."""
    kept = [*(Path(module) for module in (__file__, node.__file__, packing.__file__))]
    kept += [*sorted([*PAGE.rglob("*.js"), *DRAWN.glob("*.js")]), SOURCES / "kernels.wat", STYLE]
    python = Path(train_here.__file__)
    kept += [python, python.with_name("learning_to_write.json")]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in kept))
    return cache / digest.hexdigest()[:16]


def _configure(app: Any, config: Any) -> None:
    """Set the folder where it is packed; if it cannot be packed, the book has none."""
    shutil.rmtree(Path(app.outdir, FOLDER, "train"), ignore_errors=True)
    folder = place(Path(app.outdir).parent / "cache/train")
    try:
        if not is_packed(folder):
            if not find_spec("wasmtime"):
                raise node.NoNodeError("wasmtime is not installed: type `make book`")
            node.installed(cache(app))
        config.transformer_lab_train = str(folder)
    except node.NoNodeError as why:
        print(f"The pages go without a training: {why}", flush=True)


def _jobs(app: Any, _names: list[str]) -> list[Job]:
    """Return the job that packs it, unless that is done."""
    folder = Path(app.config.transformer_lab_train)
    wanted = app.config.transformer_lab_train and not is_packed(folder)
    do = elsewhere(pack, folder, node.installed(cache(app))) if wanted else None
    return [Job("what trains on a page", 5, do)] if do else []


def load(app: Any, _page: str, _template: str, context: dict, _doctree: Any) -> None:
    """Load its script and its style on a page with an element for it, or remove the element."""
    body = context.get("body", "")
    if train_here.PLACE not in body:
        return
    if not app.config.transformer_lab_train:
        context["body"] = body.replace(train_here.PLACE, "")
        return
    app.add_css_file("transformer_lab/widgets.css")
    app.add_css_file("transformer_lab/train.css")
    app.add_js_file("transformer_lab/train.js", loading_method="defer", **python(app, context))


def python(app: Any, context: dict) -> dict[str, str]:
    """Name the files of Python, which runs a reader's own parts of the model, if there are any."""
    if not (folder := app.config.tensorgrader_page):
        return {}
    manifest = json.loads(Path(folder, "manifest.json").read_text("utf8"))
    return {
        "data-files": json.dumps(manifest),
        "data-folder": context["pathto"](f"{FOLDER}page/", 1),
    }


def write(folder: str, site: Path) -> None:
    """Write what pages load of what was packed."""
    if folder:
        shutil.copytree(folder, site / FOLDER, dirs_exist_ok=True)


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_config_value("transformer_lab_train", "", "html")
    app.connect("config-inited", _configure, priority=200)
    app.connect(EVENT, _jobs)
