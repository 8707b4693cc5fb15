"""The licences of the theme and the models, from the packages that contain them."""

from importlib.metadata import distribution
from pathlib import Path

NOTICES = "page-notices.txt"
#: The packages of the theme's style sheets and scripts. Bootstrap's notices are in its files.
PACKAGES = ("sphinx", "pydata-sphinx-theme", "sphinx-book-theme", "sphinx-copybutton")


def licence(package: str) -> str:
    """Return the text of an installed package's licence."""
    files = distribution(package).files or []
    [file] = (f for f in files if f.stem == "LICENSE" and "dist-info" in f.parts[0])
    return Path(str(file.locate())).read_text("utf8").strip()


def notices() -> str:
    """Return each package's name, its version and its licence."""
    told = (f"{name} {distribution(name).version}\n\n{licence(name)}" for name in PACKAGES)
    return "\n\n\n".join(["What stands around the text of a page:", *told, ""])


def write(site: Path) -> None:
    """Write the notices of the theme."""
    (site / "_static" / NOTICES).write_text(notices(), "utf8")
