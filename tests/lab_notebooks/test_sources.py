"""The sources of the notebooks are found; plain pages are none."""

from lab_notebooks import sources


def test_a_plain_page_is_no_notebook(tmp_path, monkeypatch):
    for name, text in {
        "book/one": "---\nkernelspec:\n  name: python3\n---\n# One",
        "book/page": "# A page, not a notebook",
        "exercises/one": "---\nfile_format: mystnb\nkernelspec:\n  name: python3\n---\n# One",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.md").write_text(text, "utf8")
    monkeypatch.setattr(sources, "root", lambda: tmp_path)
    found = {name: tmp_path / f"{name}.md" for name in ("book/one", "exercises/one")}
    assert sources.sources() == found
