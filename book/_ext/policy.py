"""A content security policy on every page: nothing from elsewhere, and no script but the site's.

Where Python runs, a real model may read a reader's own words, or a reader trains one, WebAssembly
and a worker are allowed. The frame that Python runs in has a stricter policy of its own.
"""

import re

from tensorgrader.sphinx.packing import frame, source_hash

INLINE = re.compile(r"<script(?![^>]*\b(?:src|type)=)[^>]*>(.*?)</script>", re.DOTALL)
#: For a page of text and widgets. Widgets and formulas set inline styles.
POLICY = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'self'",
}
#: In addition for a page that runs Python or a model: WebAssembly and its worker.
WORKER = {"script-src": "'wasm-unsafe-eval'", "worker-src": "blob:"}


def policy(page: str) -> str:
    """Return the policy of a page: its inline scripts are named by their hashes."""
    scripts = INLINE.findall(page)
    more: dict[str, list[str]] = {}
    if "data-files=" in page:
        scripts += INLINE.findall(frame())
    if any(mark in page for mark in ("data-files=", "data-words=", "data-train>")):
        more = {name: [value] for name, value in WORKER.items()}
    hashes = [f"'{source_hash(script)}'" for script in dict.fromkeys(scripts)]
    more["script-src"] = more.get("script-src", []) + hashes
    names = [*POLICY, *(name for name in more if name not in POLICY)]
    return "; ".join(" ".join(filter(None, [n, POLICY.get(n), *more.get(n, [])])) for n in names)


def with_policy(page: str) -> str:
    """Insert the policy before everything it applies to, after the encoding, if there is none."""
    if "Content-Security-Policy" in page.partition("<body")[0]:
        return page
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(page)}">'
    return re.sub(r"<meta charset=[^>]*>", lambda found: f"{found[0]}\n    {meta}", page, count=1)
