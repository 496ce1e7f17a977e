"""The code that the documentation shows runs."""

import re
import shutil
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def blocks():
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_the_pages_code_runs(gomoku, tmp_path, monkeypatch, capsys):
    shutil.copytree(gomoku, tmp_path / "runs" / "one")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks():
        if "torch" not in block:  # tests_torch has those
            exec(block, names)
    said = capsys.readouterr().out
    assert "Verified(shards=2, games=4" in said and "(12, 15, 15)" in said
    assert names["env"].agents == []
