"""Pack the built book into one file: `python -m book._ext.offline FOLDER INTO`."""

import argparse
import re
import sys
from importlib.metadata import version
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

OPEN_ME = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0; url=site/index.html">
<title>Transformer Lab</title>
</head>
<body><p><a href="site/index.html">Open the book</a></p></body>
</html>
"""


#: Pictures for links from other sites, which no page shows.
CARDS = "_static/cards/"
#: What the site has for assistants, and how a page tells of it.
FOR_ASSISTANTS = re.compile(r".*\.md|llms\.txt|exercises/[^/]*\.json")
TOLD = re.compile(rb'<link rel="alternate" type="text/markdown"[^>]*>\n')
#: The models that read own words, and their replacement in a file without them.
WORDS = "_static/transformer_lab/words/"
NO_MODELS = """\
transformerLab.words = {
  ask() {
    throw new Error(
      "This small copy of the book came without the models that read your own words: " +
        "the large copy has them, and so has the book on the web.",
    );
  },
};
"""


def pack(site: Path, into: Path, *, models: bool = True) -> Path:
    """Write a zip file of the built book into a folder, and return its path.

    At its top are one page, "Open me.html", and the site. The same site makes the same bytes.
    Without the models that read own words, which are most of it, the file is a small one. Raises
    FileNotFoundError if the folder holds no page.
    """
    if not (site / "index.html").is_file():
        raise FileNotFoundError(f"{site} holds no index.html. Build the book first: make html")
    stem = f"transformer-lab-{version('transformer-lab-book')}"
    files = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    shown = [
        file
        for file in files
        if not any(part.startswith(".") for part in file.parts)
        and not file.as_posix().startswith(CARDS)
        and not FOR_ASSISTANTS.fullmatch(file.as_posix())
    ]
    into.mkdir(parents=True, exist_ok=True)
    target = into / f"{stem}{'' if models else '-small'}-offline.zip"
    with ZipFile(target, "w") as archive:
        add(archive, f"{stem}/Open me.html", OPEN_ME.encode())
        for name in sorted(file.as_posix() for file in shown):
            content = (site / name).read_bytes()
            if name.endswith(".html"):
                content = TOLD.sub(b"", content)
            if not models and name.startswith(WORDS) and name != f"{WORDS}asking.js":
                if name != f"{WORDS}words.js":
                    continue
                content = NO_MODELS.encode()
            add(archive, f"{stem}/site/{name}", content)
    return target


def add(archive: ZipFile, name: str, content: bytes) -> None:
    """Add a file that everybody may read, with the oldest date that a zip file knows."""
    entry = ZipInfo(name)
    entry.create_system = 3  # Unix, whose permissions follow; the default is this machine's
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content, compress_type=ZIP_DEFLATED, compresslevel=9)


def main() -> None:
    """Pack a site, with and without the models that read own words, and print the sizes."""
    parser = argparse.ArgumentParser(prog="book._ext.offline", description=__doc__)
    parser.add_argument("site", type=Path, metavar="FOLDER")
    parser.add_argument("into", type=Path, metavar="INTO")
    arguments = parser.parse_args()
    try:
        targets = [pack(arguments.site, arguments.into, models=models) for models in (True, False)]
    except FileNotFoundError as error:
        sys.exit(str(error))
    for target in targets:
        print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
