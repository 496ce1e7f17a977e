"""The example runs: a network of one's own in self-play and a match."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def test_a_foreign_network_plays(tmp_path):
    done = subprocess.run([sys.executable, HERE / "examples" / "foreign_network.py", tmp_path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("Verified(")]
    assert len(rows) == 1 and "games=4" in rows[0]
    assert f"rows={rows[0].split()[-2]})" in rows[0]  # as many as the batches have
    assert "4 games, +" in done.stdout


def test_pytorchs_newest_exporters_file_plays(tmp_path):
    """The file that PyTorch 2.15's default exporter wrote, whatever PyTorch is here."""
    from carozero import Engine

    net = HERE.parent / "nn" / "onnx" / "testdata" / "dynamo.onnx"
    with Engine(model=str(net), threads=1) as engine:
        assert engine.analyze("d4", size=7, rules="freestyle", visits=20).root.model
        assert engine.models()[0].sha256
