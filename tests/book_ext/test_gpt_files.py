"""The files of the GPT, as the site offers them: unpacked, they run."""

import re
import subprocess
import sys
from zipfile import ZipFile

import pytest

from tests.chromium import SITE


@pytest.mark.slow
def test_the_page_links_to_files_that_run_with_the_play_beside_them(tmp_path):
    page = (SITE / "book/whole_model.html").read_text("utf8")
    (name,) = re.findall(r'<a href="([\w.]+)" download><b>', page)
    with ZipFile(SITE / "book" / name) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "gpt.py", "--steps", "100"]
    done = subprocess.run(command, cwd=tmp_path / "gpt", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("step 100: held-out loss ")


def test_each_rung_is_among_them(tmp_path):
    with ZipFile(SITE / "book/gpt.zip") as archive:
        rungs = [name for name in archive.namelist() if name.startswith("gpt/ladder/")]
    assert rungs[0].endswith("1_bigram.py")
    assert len(rungs) == 8
