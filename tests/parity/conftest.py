"""Set before transformers is imported: nothing is downloaded."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
