"""Find by machine what, among all that PyTorch can be called by, computes a refused step.

The search runs in a worker that refuses the step: what it finds there are ways round. It tries
every callable with many arguments, in pieces, since some of them end the process or never return.
"""

import textwrap

from tensorgrader.exercise import Inputs
from tensorgrader.outcome import Returned
from tensorgrader.sandbox.client import Sandbox
from tests.tensorgrader.asking import call, run

PIECE = 200  # are asked for at once
PATIENCE = 5.0  # seconds for each

#: What the worker is given: targets by name, inputs, and the ways in which something is called.
CODE = '''
import contextlib, importlib, inspect, itertools, pkgutil, sys, types, warnings
import torch

warnings.simplefilter("ignore")
torch.manual_seed(0)
x = torch.randn(3, 4)
w, b, eps = torch.rand(4) + 0.5, torch.randn(4), 0.1
q, k, v = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5, 4)
e = (x - x.amax(-1, True)).exp()
s = (q @ k.mT / 2).exp()
centred = x - x.mean(-1, True)
TARGETS = {
    "softmax": [e / e.sum(-1, True)],
    "log_softmax": [x - x.logsumexp(-1, True)],
    "attention": [s / s.sum(-1, True) @ v],
    "layer_norm": [centred / (centred.square().mean(-1, True) + n).sqrt() for n in (eps, 1e-5)],
    "rms_norm": [x / (x.square().mean(-1, True) + n).sqrt() for n in (eps, 1e-5, 1.1920929e-07)],
}
TARGETS["layer_norm"] += [t * w + b for t in TARGETS["layer_norm"]]
TARGETS["rms_norm"] += [t * w for t in TARGETS["rms_norm"]]
none = torch.zeros(3, 4, dtype=torch.bool)
WAYS = {
    "softmax": [(x,), (x, -1), (x, 1), (x, -1, None), (x, -1, False), (x, [1]), (x, None, -1),
        (x, -1, torch.float32), (x, None), (x, 1, False, None), (-x, -1), (x, none, -1), (x, none),
        (x, none, -1, 0), (x, none, 1, None), (1.0, x), (1, x), (x, 1.0)],
    "attention": [(q, k, v), (q[None], k[None], v[None]), (q[None, None], k[None, None], v[None,
        None]),
        (q[None, None], k[None, None], v[None, None], torch.zeros(3, 5)),
        (q, k, v, None), (q, k, v, None, 0.0), (q, k, v, None, 0.0, False),
        (q[None, None], k[None, None], v[None, None], 0.0, False),
        (q[None, None], k[None, None], v[None, None], None, 0.0, False)],
    "layer_norm": [(x,), (x, (4,)), (x, [4]), (x, 4), (x, [1]), (x, [1], eps), (x, (4,), None,
        None, eps),
        (x, (4,), w, b, eps), (x, (4,), w, b), (x, 1), (x, 1, None, None, eps), (x, 1, w, b, eps),
        (x, (4,), w), (x, (4,), w, eps), (x, w, b, eps), (x, w, eps), (x, w, b), (x, w),
        (x, None, None, 3, 4, 1, 1, eps), (x[..., None], None, None, 3, 4, 1, 1, eps),
        (x.mT, None, None, None, None, True, 0.1, eps, False), (x.mT, None, None, None, None,
        True, 0.1, eps),
        (x[None], None, None, None, None, True, 0.1, eps, False), (x[None], None, None, None,
        None, True, 0.1, eps),
        (x[None], None, None, True, 0.1, eps), (x.mT, None, None, True, 0.1, eps),
        (x.mT, None, None, True, 0.1, eps), (x[None], 3, None, None, eps), (x, [1], None, None,
        eps),
        (x, None, None, [4], eps), (x, -1), (x, -1, eps), (x, eps), (x[None],), (x[None, None],),
        (x.mT,)],
}
WAYS["log_softmax"], WAYS["rms_norm"] = WAYS["softmax"], WAYS["layer_norm"]
MAKINGS = [(), (-1,), (1,), (4,), ((4,),), (3,), (1, 3), (3, 3), (3, 1), (4, eps), (4, 2), (x,)]
LOGITS = [dict(logits=x), dict(temperature=torch.tensor(1.0), logits=x), dict(dim=-1)]


def modules():
    """Import all that PyTorch has and that can be imported here."""
    for found in pkgutil.walk_packages(torch.__path__, "torch.", onerror=lambda name: None):
        if DEPTH is None or found.name.count(".") <= DEPTH:
            if not any(part in found.name for part in SKIPPED):
                try:
                    importlib.import_module(found.name)
                except BaseException:
                    pass
    for name in DEEPER:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    return {n: m for n, m in sorted(sys.modules.items()) if n.split(".")[0] == "torch" and m}


DEEPER = ("torch._higher_order_ops.flex_attention", "torch.ao.nn.quantizable", "torch.onnx.ops")
SKIPPED = ("testing", "tensorboard", "distributed", "_inductor", "__main__", "_dynamo",
    "cuda", "xpu", "mps", "mtia", "_vendor", "package", "hub", "bottleneck", "multiprocessing",
    "collect_env", "cpp_extension", "backends", "_export", "profiler")
DANGEROUS = ("exit", "abort", "fork", "crash", "segfault", "terminate", "_set_", "set_",
        "manual_seed",
    "enable", "disable", "_log", "fail", "raise", "shutdown", "exec", "push", "pop", "_enter",
        "init",
    "register", "Writer", "Reader", "Weak", "freeze", "compile", "import_ir", "load", "save",
        "wait", "range", "empty", "zeros", "Storage", "from_file", "Event", "Stream", "vmap",
        "device", "memory", "ones", "full", "eye", "quantize", "sleep", "_debug", "window",
        "Future", "rand", "normal_", "kthvalue", "histogramdd", "seed", "assert", "delete",
        "clear", "reset", "_jit", "_dispatch", "signal")


def callables():
    """List everything callable once, by a name."""
    seen, listed = set(), []

    def add(name, value):
        plain = name.rpartition(".")[2]
        if callable(value) and id(value) not in seen and not any(d in plain for d in DANGEROUS):
            seen.add(id(value))
            kept.append(value)
            listed.append((name, value))

    for name, module in MODULES.items():
        if name.startswith("torch._C"):
            continue
        for key, value in sorted(vars(module).items(), key=lambda pair: pair[0]):
            if getattr(value, "__module__", None) is None or "torch" in str(
                getattr(value, "__module__", "")
            ) or inspect.isbuiltin(value):
                add(f"{name}.{key}", value)
    for key in dir(torch.Tensor):
        if not key.startswith("__"):
            add(f"Tensor.{key}", getattr(torch.Tensor, key, None))
    for holder in (torch._C._VariableFunctions, torch._C._nn, torch._C._special, torch._C._linalg):
        for key in dir(holder):
            add(f"{holder}.{key}", getattr(holder, key, None))
    for key in sorted({n.split("::")[1].split(".")[0] for n in torch._C._dispatch_get_all_op_names()
                       if n.startswith("aten::")}):
        packet = getattr(torch.ops.aten, key, None)
        if packet:
            add(f"aten.{key}", packet)
        for overload in packet.overloads() if packet else ():
            op = getattr(packet, overload)
            with contextlib.suppress(RuntimeError):  # some exist in TorchScript alone
                if op._can_decompose():
                    add(f"aten.{key}.{overload} decomposed", op.decompose)
    from torch._decomp import decomposition_table
    for op, function in decomposition_table.items():
        add(f"decomposition of {op}", function)
    return listed


def tensors(value, depth=2):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (tuple, list)) and depth:
        for item in value[:4]:
            yield from tensors(item, depth - 1)
    elif isinstance(value, torch.distributions.Distribution):
        for key in ("probs", "logits", "mean", "_param"):
            yield from tensors(getattr(value, key, None))


def alike(value):
    """Tell whether a value is a target, up to axes of length 1, order of axes and a logarithm."""
    for found in tensors(value):
        if found.layout != torch.strided or found.dtype not in (torch.float32, torch.float64):
            continue
        flat = found.detach().squeeze().float()
        if flat.dim() != 2 or sorted(flat.shape) != [3, 4]:
            continue
        for form in (flat, flat.exp(), -flat):
            for turned in (form, form.mT):
                for target in SOUGHT:
                    if turned.shape == target.shape and torch.allclose(turned, target, atol=1e-4):
                        return True
    return False


def hits(name, value):
    """Try one callable in every way; tell the first that gives a target."""
    def attempt(function, *args, **options):
        try:
            return function(*[a.clone() if isinstance(a, torch.Tensor) else a for a in args],
            **options)
        except BaseException:
            return None

    tried = [value]
    if isinstance(value, type):
        if issubclass(value, torch.Tensor):
            return None
        made = [attempt(value, *args) for args in MAKINGS]
        made += [attempt(value, **options) for options in LOGITS]
        for thing in made:
            if alike(thing):
                return name
        tried = [getattr(t, "eval", lambda t=t: t)() if isinstance(t, torch.nn.Module) else t
                 for t in made if callable(t)]
        tried += [t.train() for t in made if isinstance(t, torch.nn.Module)]
    for function in tried:
        for args in TRIED:
            if alike(attempt(function, *args)):
                return name
    return None


kept = []


def count(depth, target):
    """Prepare, and tell how many callables there are."""
    global DEPTH, MODULES, ALL, SOUGHT, TRIED
    DEPTH = None if depth < 0 else depth
    SOUGHT, TRIED = TARGETS[target], WAYS[target]
    MODULES = modules()
    ALL = callables()
    return len(ALL)


def search(number):
    """Give the name of a callable if it computes the target; or say that PyTorch is in pieces."""
    assert alike(SOUGHT[0] @ torch.eye(4)), "what was called before has left its mark"
    name, value = ALL[number]
    return hits(name, value) or ""


def named(number):
    return ALL[number][0]
'''


class Searcher:
    """A worker that refuses some names and searches for what computes a target all the same."""

    def __init__(self, forbidden, target, depth):
        """Take the names refused, the target, and how deep to look into PyTorch's modules."""
        self._forbidden, self._target, self._depth = forbidden, target, depth
        self.found, self.lost = [], []
        self._begin()

    def _begin(self):
        """Take a fresh worker."""
        self._sandbox = Sandbox(60.0, forbidden=self._forbidden)
        assert run(self._sandbox, textwrap.dedent(CODE)) is None
        outcome = call(self._sandbox, self._depth, self._target, name="count")
        assert isinstance(outcome, Returned), outcome
        self.count = outcome.value
        self._sandbox.deadline = PATIENCE

    def close(self):
        """End the worker."""
        self._sandbox.close()

    def search(self, start, stop):
        """Search these, each in its own time; one that ends the worker is tried again in another.

        So is one that finds PyTorch in pieces. What ends two workers is lost.
        """
        number, last = start, -1
        while number < stop:
            batch = [Inputs((n,)) for n in range(number, min(number + PIECE, stop))]
            for outcome in self._sandbox.call("search", batch):
                if not isinstance(outcome, Returned):
                    break
                self.found += [outcome.value] if outcome.value else []
                number += 1
            else:
                continue
            self.close()
            self._begin()
            if number == last:
                self.lost.append(call(self._sandbox, number, name="named").value)
                number += 1
            last = number


def ways_round(forbidden, target, depth=-1):
    """Give all callables that compute a target where names are refused; how many; what is lost."""
    searcher = Searcher(forbidden, target, depth)
    try:
        searcher.search(0, searcher.count)
        return searcher.found, searcher.count, searcher.lost
    finally:
        searcher.close()
