"""benchmarks.on_page trains on a page's modules and with PyTorch, and tells what that took."""

from benchmarks import on_page


def test_the_report_has_a_row_for_each_size(monkeypatch):
    monkeypatch.setattr(on_page, "SIZES", {"24 × 2": "24x2"})
    monkeypatch.setattr(on_page, "GOAL", 4.0)
    header, _, row, *_ = on_page.measure(rounds=3).splitlines()
    cells = dict(zip(header.strip("| ").split(" | "), row.strip("| ").split(" | "), strict=True))
    assert cells["width × layers"] == "24 × 2"
    assert int(cells["parameters"].replace(",", "")) > 10_000
    step, torchs, ratio = (float(n) for n in list(cells.values())[2:5])
    assert abs(step / torchs - ratio) < 0.2 * ratio
    assert float(cells["seconds to 4.0 nats"]) > 0
