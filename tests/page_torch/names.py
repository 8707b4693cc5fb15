"""Every name that PyTorch has: `python -m tests.page_torch.names` writes them into the package.

By these the small PyTorch knows what it has not from what does not exist.
"""

import inspect
import re
import sys
import textwrap
from pathlib import Path

import torch

PATH = Path(__file__).parents[2] / "page_torch/torch/names.py"
PLACES = {
    "": torch,
    "Tensor": torch.Tensor,
    "nn": torch.nn,
    "nn.functional": torch.nn.functional,
    "nn.Module": (torch.nn.Module, torch.nn.Embedding, torch.nn.ModuleList, torch.nn.Sequential),
    "nn.init": torch.nn.init,
    "nn.utils": torch.nn.utils,
    "linalg": torch.linalg,
}


#: What nobody writes: kernels, packing, tracing, the compiler's settings.
INNER = re.compile(
    "quantize|fbgemm|mkldnn|cudnn|miopen|^native_|_backward|Storage|_copy$|^batch_norm_|with_indices"
    "|autocast_|^u?(int|bits)[1-7](x|$)|^float[48]_|_cell$|^sym_|vulkan|^q?u?int[0-9]x|^per_(tensor|channel)"
    "|_type_comment|^import_|^parse_|profiler|GLOBAL|LIBTORCH|anomaly|^grid_sampler|^quantized|_quant"
)


def names(place):
    """List the public names of a place, without modules and what nobody writes."""
    things = PLACES[place] if isinstance(PLACES[place], tuple) else (PLACES[place],)
    public = {n for thing in things for n in dir(thing) if not n.startswith("_")}
    if place == "":
        public = {n for n in public if n.islower() or not hasattr(torch._C, n) or "Tensor" in n}
        public = {n for n in public if not INNER.search(n) or hasattr(torch.Tensor, n)}
    return sorted(n for n in public if not is_module(getattr(things[0], n, None)))


def is_module(thing):
    """Return whether it is a module that PyTorch's only import."""
    return inspect.ismodule(thing) and thing.__name__ in {
        *sys.stdlib_module_names,
        "torch",
        "numpy",
    }


def written():
    """Write the file: what torch and its tensors share once, then each place's own."""
    both = sorted({*names("")} & {*names("Tensor")})
    parts = ['"""The names in PyTorch, by place: written by `tests.page_torch.names`."""', ""]
    parts += [listed("BOTH", both), ""]
    for place in PLACES:
        own = [n for n in names(place) if n not in both or place not in ("", "Tensor")]
        parts += [listed(constant(place), own), ""]
    parts.append("NAMES = {")
    for place in PLACES:
        shared = f"{{BOTH}} {{{constant(place)}}}"
        words = f'f"{shared}"' if place in ("", "Tensor") else constant(place)
        parts.append(f'    "{place}": frozenset({words}.split()),')
    return "\n".join([*parts, "}", ""])


def constant(place):
    return (place or "torch").replace(".", "_").upper()


def listed(name, words):
    lines = textwrap.wrap(" ".join(words), 100, break_long_words=False, break_on_hyphens=False)
    return "\n".join([f'{name} = """', *lines, '"""'])


if __name__ == "__main__":
    PATH.write_text(written(), "utf8")
