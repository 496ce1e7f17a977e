"""What Python reads of shards is what the program reads of them, row by row."""

import json
import shutil
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from carozero import CheckFailed, DataError, ProgramError, Samples, Verified, program, verify
from carozero.samples import rows, shard, symmetry
from carozero.samples.schema import COLUMNS, GAMES


@pytest.fixture(params=["gomoku", "onitama"])
def run(request):
    return request.getfixturevalue(request.param)


def exported(run, folder):
    """The games and the columns that the program's own reader finds, shard by shard."""
    done = program.run("samples", "export", str(run), "--out", str(folder))
    assert done.returncode == 0, done.stderr
    for entry in json.loads((folder / "export.json").read_text())["shards"]:
        games = [json.loads(line) for line in (folder / entry["games"]["file"]).read_text().splitlines()]
        yield entry, games, np.load(folder / entry["rows"]["file"])


def test_columns_are_those_of_the_programs_reader(run, tmp_path):
    samples = Samples(run)
    read = list(samples.shards())
    told = list(exported(run, tmp_path / "out"))
    assert len(read) == len(told) and samples.rows == sum(s.rows for s in read) > 20
    for got, (_, _, want) in zip(read, told):
        assert set(COLUMNS) == set(want.files) - {"row_crc"}
        for i in range(got.rows):
            lo, hi = want["visit_offsets"][i : i + 2]
            for name in COLUMNS:
                if name == "visit_offsets":
                    assert tuple(got.columns[name][i : i + 2]) == (lo, hi)
                    continue
                part = slice(lo, hi) if name in ("visit_actions", "visit_counts", "policy_target") else i
                np.testing.assert_array_equal(got.columns[name][part], want[name][part], err_msg=f"{name} of row {i}")


def test_rows_are_what_the_rules_say(run, tmp_path, engine):
    """Each row's inputs and legal actions are those of the position that the program
    comes to by the game's moves."""
    compared = 0
    for got, (_, games, _) in zip(Samples(run).shards(), exported(run, tmp_path / "out")):
        of = {"game": got.game.name, "size": got.size} if got.game.name == "gomoku" else {"game": "onitama"}
        for i in range(got.rows):
            game, ply = games[got.columns["game"][i]], int(got.columns["ply"][i])
            if got.game.name == "gomoku":
                text = game["moves"]
                starts = [k for k, c in enumerate(text) if c.isalpha()] + [len(text)]
                position = engine.position(text[: starts[ply]], rules=got.header["rule"]["name"], inputs=True, **of)
            else:
                deal, moves = game["moves"].split(":")
                words = moves.split()
                moves = [" ".join(words[k : k + 2]) for k in range(0, len(words), 2)]
                position = engine.position(moves[:ply], position=deal, inputs=True, **of)
            planes, scalars, legal = position.inputs.arrays()
            cells, actions = got.size**2, got.game.actions(got.size)
            np.testing.assert_array_equal(rows.unpack(got.columns["planes"][i], cells).reshape(planes.shape), planes)
            np.testing.assert_array_equal(got.columns["globals"][i], scalars)
            np.testing.assert_array_equal(rows.unpack(got.columns["legal"][i], actions), legal)
            compared += 1
    assert compared > 20


def keys(batches):
    """A key of each row that knows no symmetry."""
    return Counter(
        (b["origin"][i].item(), b["globals"][i].tobytes(), b["value"][i].tobytes(), b["planes"][i].sum().item(), b["legal"][i].sum().item())
        for b in batches
        for i in range(len(b["planes"]))
    )


def whole(samples):
    parts = []
    for i, data in enumerate(samples.shards()):
        part = rows.from_shard(data, np.arange(data.rows), i, "target")
        parts.append(rows.batch(part, np.zeros(len(part), int), 0, "full"))
    return keys(parts)


def test_an_epoch_has_every_row_once(run):
    samples = Samples(run, batch=8, weights=False, shuffle_rows=30)
    want = whole(samples)
    first, second = list(samples), list(samples)
    assert keys(first) == keys(second) == want
    assert {len(b["planes"]) for b in first[:-1]} == {8}
    assert any((a["planes"].shape != b["planes"].shape) or (a["planes"] != b["planes"]).any() for a, b in zip(first, second))
    for workers in (2, 3):
        shares = [list(samples.batches(0, worker, workers)) for worker in range(workers)]
        assert keys(b for share in shares for b in share) == want and all(shares)


def test_epochs_repeat_by_seed(run):
    def arrays(**options):
        return [b["planes"].tobytes() + b["policy"].tobytes() for b in Samples(run, batch=8, **options)]

    assert arrays(seed=4) == arrays(seed=4) != arrays(seed=5)


def test_symmetries_are_seen(run):
    samples = Samples(run, batch=4, weights=False)
    plain = {p.tobytes() for b in Samples(run, batch=4, weights=False, symmetries=False) for p in b["planes"]}
    turned = [p for b in samples for p in b["planes"]]
    other = [p for p in turned if p.tobytes() not in plain]
    assert len(other) > len(turned) / 4
    game = samples.game
    for b in samples:
        assert (b["policy"][b["legal"] == 0] == 0).all() and np.allclose(b["policy"].sum(1), 1, atol=1e-4)
        if game.name == "gomoku":
            taken = b["planes"][:, [1, 2, 3]].any(1).reshape(len(b["planes"]), -1)
            np.testing.assert_array_equal(b["legal"], ~taken)
    assert symmetry.of(game).count == (8 if game.name == "gomoku" else 2)


def test_runs_come_together_and_windows_cut(gomoku, onitama, tmp_path):
    with pytest.raises(DataError, match="want runs of one game"):
        Samples(gomoku, onitama)
    both = Samples(gomoku, gomoku)
    assert both.rows == 2 * Samples(gomoku).rows and Samples(gomoku, window=10).rows == 10
    assert (both.game.name, both.sizes, both.rules) == ("gomoku", {7}, {"caro"})
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(DataError, match="no rows in finished shards"):
        Samples(tmp_path)
    with pytest.raises(DataError, match="not found"):
        Samples(tmp_path / "none")
    with pytest.raises(TypeError):
        Samples()
    with pytest.raises(TypeError):
        Samples(gomoku, batchsize=3)
    with pytest.raises(ValueError):
        Samples(gomoku, batch=0)


def test_verify(gomoku, onitama, tmp_path):
    assert verify(gomoku) == Verified(2, 4, Samples(gomoku).rows)
    bad = tmp_path / "bad"
    shutil.copytree(gomoku, bad)
    path = bad / "shard-000001.msgpack.zst"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(CheckFailed) as err:
        verify(bad)
    assert "shard-000001" in str(err.value) and "\n" not in str(err.value)
    with pytest.raises(DataError, match="sha256"):
        Samples(bad, check_sha256=True)
    with pytest.raises(ProgramError):
        verify(tmp_path / "none")


ODD_OPTIONS = {"policy_target": "visit", "policy_rows": "some", "q_share": float("nan"), "val_fraction": 1, "seed": -1, "window": -1}


@pytest.mark.parametrize("name", ODD_OPTIONS)
def test_options_that_mean_nothing_are_refused(gomoku, name):
    with pytest.raises(ValueError, match=f"{name} is .*want"):
        Samples(gomoku, **{name: ODD_OPTIONS[name]})


def test_the_schema_is_the_programs(engine):
    for game in GAMES:
        inputs = engine.position(game=game.name, inputs=True).inputs
        assert inputs.version == game.planes_version and inputs.shape[0] == len(game.planes)
        assert len(inputs.globals) == len(game.globals) and inputs.policy == game.actions(inputs.shape[1])


@pytest.mark.parametrize("missing", ["numpy", "msgpack", "zstandard"])
def test_what_is_missing_is_named(missing):
    code = f"import sys; sys.modules[{missing!r}] = None\nimport carozero; carozero.Engine\ntry: carozero.Samples\nexcept ImportError as err: print(err)"
    out = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "pip install 'carozero[data]'" in out
