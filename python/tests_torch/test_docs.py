"""The code that the documentation shows for PyTorch runs."""

import re
import shutil
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_pages_code_runs(run, tmp_path, monkeypatch, capsys):
    shutil.copytree(run, tmp_path / "runs" / "one")
    monkeypatch.chdir(tmp_path)
    blocks = [b for b in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S) if "torch" in b]
    for block in blocks:
        exec(block, {})
    assert len(blocks) == 1 and "torch.uint8" in capsys.readouterr().out
