"""JupyterLab as `make lab` and Binder start it: at the first chapter, in the book's faces."""

from importlib.util import find_spec
from pathlib import Path

carriers = [find_spec(name) for name in ("fontpkg_source_serif_4", "fontpkg_source_sans_3")]
faces = [str(Path(carrier.origin).with_name("files")) for carrier in carriers]

c = get_config()
c.LabApp.custom_css = True
c.LabApp.default_url = "/lab/tree/book/attention.ipynb"
c.LabApp.extension_manager = "readonly"
# What custom.css names without a folder is looked for in these.
custom = str(Path(__file__).with_name("custom"))
c.ServerApp.tornado_settings = {"static_custom_path": [custom, *faces]}
