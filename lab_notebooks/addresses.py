"""The book's addresses: all are derived from the repository's, in pyproject.toml."""

import re
from importlib.metadata import metadata
from urllib.parse import quote, urlencode, urlsplit

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

#: The branch that the book is built from.
MAIN = "main"
#: The branch with the notebooks as .ipynb, which .github/workflows/publish.yml writes.
BRANCH = "notebooks"
#: What the notebooks need and Colab may lack.
COLAB_ADDS = ("anywidget", "jaxtyping")
#: The code in a notebook that needs what pip must bring: the real models but the small GPT, or
#: a widget that shows them.
REAL = re.compile(
    r"transformer_lab\.pretrained(?!\.shakespeare)"
    r"|\b(BlockWalk|NextToken|OneHead|RealHeads|TokenizerLab)\b"
)


def repository() -> str:
    """Return the address of the book's repository.

    Raises ValueError if the package's metadata names none on GitHub: Colab opens no other.
    """
    urls = metadata("transformer-lab-book").get_all("Project-URL", [])
    address = dict(url.split(", ", 1) for url in urls).get("Repository", "")
    _owner_and_name(address)
    return address


def site(address: str) -> str:
    """Return the address of the site, which publish.yml puts on GitHub's pages."""
    owner, name = _owner_and_name(address).split("/")
    return f"https://{owner.lower()}.github.io/{name}/"


def edit(source: str, address: str) -> str:
    """Return the link that opens a page's source in GitHub's editor."""
    return f"https://github.com/{_owner_and_name(address)}/edit/{MAIN}/{quote(source)}"


def report(page: str, version: str, address: str) -> str:
    """Return the link to report an error, with page and version filled in."""
    fields = urlencode({"template": "page.yml", "page": page, "version": version})
    return f"https://github.com/{_owner_and_name(address)}/issues/new?{fields}"


def binder(page: str, address: str) -> str:
    """Return the link that opens a page's notebook in JupyterLab on mybinder.org.

    binder/postBuild writes the notebooks, binder/start serves their folder.
    """
    notebook = quote(f"lab/tree/{page}.ipynb", safe="")
    return f"https://mybinder.org/v2/gh/{_owner_and_name(address)}/HEAD?urlpath={notebook}"


def colab(page: str, address: str) -> str:
    """Return the link that opens a page's notebook on Colab."""
    where = f"{_owner_and_name(address)}/blob/{BRANCH}/{page}.ipynb"
    return f"https://colab.research.google.com/github/{where}"


def colab_cell(address: str, code: str) -> NotebookNode:
    """Return a cell that prepares a notebook with this code on Colab.

    It comes before a notebook's first code cell; outside Colab it does nothing. Colab has PyTorch
    and Jupyter; an ordinary installation of the package would replace their versions. The real
    models (210 MB) are installed if the code asks for them.
    """
    source = f"""\
# @title Run this first on Colab. Anywhere else it does nothing.
import sys

if "google.colab" in sys.modules:
    pip = "install --quiet {" ".join(COLAB_ADDS)}", "install --quiet --no-deps git+{address}"
    for line in pip:
        get_ipython().run_line_magic("pip", line)"""
    if REAL.search(code):
        source += '\n    get_ipython().system("transformer-lab pretrained")'
    folded = {"jupyter": {"source_hidden": True}, "cellView": "form", "tags": ["colab"]}
    return new_code_cell(source, id="colab", metadata=folded)


def _owner_and_name(address: str) -> str:
    url = urlsplit(address)
    parts = url.path.strip("/").split("/")
    if (url.scheme, url.hostname) != ("https", "github.com") or len(parts) != 2:
        raise ValueError(
            "[project.urls] in pyproject.toml must name the repository on GitHub, as Repository = "
            f'"https://github.com/OWNER/NAME", but the installed package says {address!r}. '
            "After a change, install the package again."
        )
    return "/".join(parts)
