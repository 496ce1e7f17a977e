"""The planes of earlier boards: against those of the engine, against a replay by the plain
rules, and in training."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import shards
from training import config, records

from carozero import Samples
from carozero.samples import history, rows, shard, symmetry
from carozero.samples.schema import COLUMNS, GOMOKU, GOMOKU_HISTORY, NO_REPLY, ONITAMA, game_of_planes
from carozero_train import checkpoint, data, distill, export, positions, reader
from carozero_train.cli import main
from carozero_train.errors import DataError, Usage
from carozero_train.networks import build
from carozero_train.trainer import Trainer

GOLDEN = json.loads((Path(__file__).parent / "golden" / "history.json").read_text())
CASES = GOLDEN["cases"]
OWN = len(GOMOKU.planes)


def packed(texts):
    return np.array([list(bytes.fromhex(text)) for text in texts], np.uint8)


def shard_of(case):
    """A shard whose one row is the case's position, after all moves of its only game."""
    size, moves = case["size"], history._MOVE.findall(case["position"])
    columns = {name: np.zeros(1, np.dtype(dtype)) for name, (dtype, _) in COLUMNS.items()}
    columns.update(
        planes=packed(case["planes"][:OWN])[None],
        globals=np.array([case["globals"]], np.float32),
        legal=np.full((1, (size**2 + 7) // 8), 255, np.uint8),
        ply=np.array([len(moves)], np.uint16),
        reply=np.array([NO_REPLY], np.uint16),
        visit_offsets=np.array([0, 1], np.uint32),
        policy_target=np.ones(1, np.float32),
    )
    header = {
        "game": "gomoku",
        "size": size,
        "rule": {"name": case["rule"], "captures": case["rule"] == "school42"},
        "games": [{"id": 0, "moves": case["position"]}],
    }
    return shard.Shard("golden", header, columns)


def test_names():
    assert GOLDEN["version"] == GOMOKU_HISTORY.planes_version
    assert tuple(GOLDEN["plane_names"]) == GOMOKU_HISTORY.planes
    assert tuple(GOLDEN["global_names"]) == GOMOKU_HISTORY.globals
    assert game_of_planes("gomoku-history-1") is GOMOKU_HISTORY
    assert game_of_planes("gomoku-1") is GOMOKU


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['rule']}-{len(c['position']) // 2}")
def test_planes_are_the_engines_under_every_symmetry(case):
    part = rows.from_shard(shard_of(case), np.array([0]), 0, "target", True)
    assert part.game is GOMOKU_HISTORY
    np.testing.assert_array_equal(part.planes[0], packed(case["planes"]))
    cells = case["size"] ** 2
    for s in range(symmetry.SYMMETRIES):
        seen = rows.batch(part, np.array([s]), 0.0, "all")["planes"]
        want = rows.unpack(packed(case["symmetries"][s]), cells)
        np.testing.assert_array_equal(seen.reshape(-1, cells), want, err_msg=f"symmetry {s}")


def test_some_case_captures_in_the_last_moves():
    """Then an earlier board has a stone that is not on the present one."""
    back = 0
    for case in CASES:
        planes = rows.unpack(packed(case["planes"]), case["size"] ** 2)
        for k in range(OWN, len(planes), 2):
            back += int((planes[k : k + 2] & ~planes[1:3] & 1).sum())
    assert back > 0


def test_without_captures_both_ways_agree(runs):
    for ref in (ref for run in runs for ref in shard.manifest(run)):
        data = shard.read(ref)
        index = np.random.default_rng(1).permutation(data.rows)
        fast = history.planes(data, index)
        games = {g: history.cells(data, g) for g in range(len(data.header["games"]))}
        for place, row in enumerate(index):
            game, ply = int(data.columns["game"][row]), int(data.columns["ply"][row])
            boards = history.replay(games[game], data.size, False)
            side = ply % 2
            want = np.zeros((3, 2, data.size**2), np.uint8)
            for k in (1, 2, 3):
                if ply >= k:
                    want[k - 1] = boards[ply - k][[side, 1 - side]]
            np.testing.assert_array_equal(rows.unpack(fast[place], data.size**2), want.reshape(6, -1))


def test_rows_of_other_games_are_refused(runs):
    ref = shard.manifest(runs[0])[0]
    data, every = shard.read(ref), np.arange(ref.rows)
    games = data.header["games"]
    for change, text in (
        ([{**games[0], "moves": games[1]["moves"]}, *games[1:]], "not those of game 0 at its ply"),
        ([{**games[0], "moves": "a1"}, *games[1:]], "not those of game 0 at its ply"),
        ([{**games[0], "moves": "a1z9"}, *games[1:]], "moves of game 0 are not those of a game"),
        ([{**games[0], "moves": "a1b9"}, *games[1:]], "moves of game 0 are not those of a game"),
        ([{**games[0], "moves": None}, *games[1:]], "moves of game 0 are not those of a game"),
    ):
        for captures in (False, True):
            header = {**data.header, "games": change, "rule": {"name": "caro", "captures": captures}}
            with pytest.raises(DataError, match=text) as err:
                history.planes(replace(data, header=header), every)
            assert "\n" not in str(err.value)


def test_samples_have_history(runs):
    plain = Samples(runs[0], batch=16, symmetries=False)
    with_it = Samples(runs[0], batch=16, symmetries=False, history=True)
    assert plain.game is GOMOKU and with_it.game is GOMOKU_HISTORY
    for a, b in zip(plain.batches(0), with_it.batches(0)):
        assert b["planes"].shape[1] == len(GOMOKU_HISTORY.planes)
        np.testing.assert_array_equal(a["planes"], b["planes"][:, :OWN])
        for name in a:
            if name != "planes":
                np.testing.assert_array_equal(a[name], b[name])


def test_a_run_with_history(runs, tmp_path):
    """It trains, resumes bit for bit, is exported with its planes, and may start others."""
    Trainer.start(config(history=True), runs, tmp_path / "whole").run()
    first = Trainer.start(config(history=True), runs, tmp_path / "parts")
    first.budget.over = lambda step: step >= 3
    first.run()
    Trainer.resume(tmp_path / "parts", {}).run()
    assert records(tmp_path / "whole")[-1] == records(tmp_path / "parts")[-1]

    path, net = str(tmp_path / "whole" / "checkpoint.pt"), str(tmp_path / "net.onnx")
    main(["export", path, "--out", net])
    assert export.check_model(net)["carozero.planes"] == "gomoku-history-1"
    assert onnx.load(net).graph.input[0].type.tensor_type.shape.dim[1].dim_value == 18
    weights = str(tmp_path / "weights.pt")
    main(["export", path, "--out", weights])
    assert data.game_of(checkpoint.load(weights)["provenance"]) is GOMOKU_HISTORY
    Trainer.start(config(history=True), runs, tmp_path / "next", weights)
    with pytest.raises(Usage, match="a net of planes gomoku-history-1, the run's are gomoku-1"):
        Trainer.start(config(), runs, tmp_path / "plain", weights)
    state = checkpoint.load(path)
    state["provenance"]["planes"] = "gomoku-history-9"
    with pytest.raises(DataError, match="reads planes 'gomoku-history-9'"):
        data.game_of(state["provenance"])
    del state["provenance"]["planes"]  # as in checkpoints from before there was a choice
    assert data.game_of(state["provenance"]) is GOMOKU


def test_who_has_no_history(runs, tmp_path, capsys):
    with pytest.raises(Usage, match="line networks read the planes gomoku-1, not gomoku-history-1"):
        Trainer.start(config(history=True, size="line16"), runs, tmp_path / "line")
    with pytest.raises(Usage, match="--history: onitama has no planes of earlier boards"):
        data.inputs(ONITAMA, True)
    out = str(tmp_path / "net.onnx")
    assert main(["init", "--size", "b2c16", "--game", "onitama", "--history", "--out", out]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["init", "--size", "b2c16", "--history", "--out", out]) == 0
    assert export.check_model(out)["carozero.planes"] == "gomoku-history-1"


def test_a_network_without_history_teaches_one_with_it(runs, tmp_path):
    path = tmp_path / "net.onnx"
    export.export(build("b2c16", 5), path, ["caro"], [5, 7], {})
    refs, options = shard.manifest(runs[0]), config(history=True)
    plain = next(reader.loader(refs, config(), 0, False, distill.Teacher(path, 1.0, GOMOKU).teach))
    taught = next(reader.loader(refs, options, 0, False, distill.Teacher(path, 1.0, GOMOKU_HISTORY).teach))
    np.testing.assert_allclose(plain["policy"], taught["policy"], atol=1e-6)
    with_it = tmp_path / "history.onnx"
    export.export(build("b2c16", 5, GOMOKU_HISTORY), with_it, ["caro"], [5, 7], {})
    with pytest.raises(Usage, match="its planes are gomoku-history-1, want gomoku-1"):
        distill.Teacher(with_it, 0.5, GOMOKU)


def test_measured_positions_have_history(tmp_path):
    refs = shard.manifest(shards.write_run(tmp_path / "run", shards=2, games=40, seed=5))
    plain, with_it = (positions.draw(refs, 1, 60, 40, history) for history in (False, True))
    for a, b in zip(sum(plain, []), sum(with_it, [])):
        assert b.planes.shape[1] == 18
        np.testing.assert_array_equal(a.planes, b.planes[:, :OWN])
