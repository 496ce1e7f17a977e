"""How long a run trains, by steps, samples or minutes."""

import pytest

from carozero_train import checkpoint
from carozero_train.budget import SCHEDULES, Budget, rate
from carozero_train.config import Config
from carozero_train.errors import Interrupted
from carozero_train.trainer import Trainer
from training import config, records


def test_epochs_and_samples_become_steps(runs, tmp_path):
    trainer = Trainer.start(config(steps=0, epochs=3, val_fraction=0.0), runs, tmp_path / "out")
    assert trainer.config.steps == 38  # 3 * 200 rows / 16
    assert Trainer.start(config(steps=0, samples=100), runs, tmp_path / "out").config.steps == 7


def test_schedules():
    def rates(name):
        budget = Budget(Config(steps=200))  # a twentieth to warm up
        return [rate(name, budget.warm(step), budget.progress(step)) for step in range(200)]

    for name in SCHEDULES:
        assert rates(name)[:10] == pytest.approx([(i + 1) / 10 for i in range(10)])
    cosine, linear = rates("cosine"), rates("linear")
    assert cosine[10] == 1 and cosine[105] == pytest.approx(0.505)
    assert all(a > b for a, b in zip(cosine[10:], cosine[11:])) and 0.01 < cosine[199] < 0.011
    assert linear[10] == 1 and linear[105] == pytest.approx(0.505)
    assert linear[10] - linear[11] == pytest.approx(linear[198] - linear[199])
    assert rates("constant")[199] == 1


def test_a_budget_of_minutes_counts_interruptions_out():
    now = [1000.0]
    budget = Budget(Config(minutes=10.0), 0.0, lambda: now[0])
    budget.begin()
    assert (budget.warm(0), budget.progress(0)) == (1 / 200, 0)
    assert budget.warm(199) == 1 and not budget.over(10**6)
    now[0] += 240
    assert budget.warm(0) == 1 and budget.progress(3) == pytest.approx(0.4)
    later = Budget(Config(minutes=10.0), budget.seconds, lambda: now[0])
    now[0] += 5000  # between two processes
    later.begin()
    assert later.progress(3) == pytest.approx(0.4)
    now[0] += 359
    assert not later.over(3)
    now[0] += 1
    assert later.over(3) and later.progress(3) == 1
    assert later.left(3) == "step 3, minute 10.0 of 10"


@pytest.mark.parametrize("reads", range(30, 37))
def test_minutes_end_a_run(runs, tmp_path, reads):
    """Time is up wherever in a step the clock is read."""
    options = config(steps=0, minutes=reads / 30, size="b2c16")
    trainer = Trainer.start(options, runs, tmp_path)
    ticks = iter(range(0, 10**6, 2))  # the clock goes on 2 s each time it is read
    trainer.budget.clock = lambda: next(ticks)
    result = trainer.run()
    state = checkpoint.load(tmp_path / "checkpoint.pt")
    assert result["kind"] == "val" and state["seconds"] >= 60
    assert result["step"] == state["step"] == trainer.step
    assert 0 < state["step"] < 30
    lrs = [r["lr"] for r in records(tmp_path) if r["kind"] == "train"]
    assert lrs[-1] < 0.5 * max(lrs)
    assert Trainer.resume(tmp_path, {}).budget.over(state["step"])
    assert not Trainer.resume(tmp_path, {"minutes": 5.0}).budget.over(state["step"])
    assert Trainer.resume(tmp_path, {"steps": 50}).config.minutes == 0


def test_minutes_that_reading_has_used_up_make_a_step(runs, tmp_path):
    trainer = Trainer.start(config(steps=0, minutes=1e-9), runs, tmp_path)
    assert trainer.run()["step"] == 1
    assert checkpoint.load(tmp_path / "checkpoint.pt")["step"] == 1
    assert Trainer.resume(tmp_path, {}).run() == {}


def test_a_signal_while_validating_ends_the_next_step(runs, tmp_path, monkeypatch):
    trainer = Trainer.start(config(steps=9), runs, tmp_path)
    evaluate = trainer.learner.evaluate

    def interrupted(*arguments):
        trainer.stop = True
        return evaluate(*arguments)

    monkeypatch.setattr(trainer.learner, "evaluate", interrupted)
    with pytest.raises(Interrupted, match="step 4 of 9"):
        trainer.run()
    assert checkpoint.load(tmp_path / "checkpoint.pt")["step"] == 4
