"""The chapter on real models: the download is as large as it says."""

import re
from pathlib import Path

from tests.book.chapters import Chapter

CHAPTER = Chapter("real_models")


def test_the_download_is_as_large_as_the_packages_that_are_pinned():
    pinned = Path(__file__).parents[2].joinpath("requirements-pretrained.txt").read_text("utf8")
    sizes = [int(size) for size in re.findall(r"^# .*, (\d+) MB: weights", pinned, re.M)]
    (promised,) = re.findall(r"a download of (\d+) MB", CHAPTER.prose)
    assert len(sizes) == 3
    assert round(sum(sizes), -1) == int(promised)
