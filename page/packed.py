"""Read what was packed beside these modules: on the page, and nowhere else."""

import json
import sys
from functools import cache
from typing import Any


@cache
def packed(file: str) -> dict[str, Any]:
    """Return the content of a JSON file in this folder; outside of the page there is none."""
    loader: Any = sys.modules[__name__].__loader__
    try:
        return json.loads(loader.get_data(f"{__file__.rpartition('/')[0]}/{file}"))
    except OSError:
        return {}
