"""The engine answers, refuses, is cancelled, and ends with Python, as Python hears of its end."""

import asyncio
import contextlib
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from carozero import Cancelled, Engine, EngineError, EngineGone, ProgramError, program

ENDLESS = {"visits": 10**9}


def gone(pid, seconds=30):
    """Reports whether a process ends within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def begun(engine):
    """An endless search that has found something."""
    search = engine.submit("h8", report_every=0.01, **ENDLESS)
    next(iter(search))
    return search


def pid_of(engine):
    return engine._connection._process.pid


def test_an_analysis_has_types(engine):
    got = engine.analyze("h8h9i8i9", rules="freestyle", visits=60, threats=True, policy=True, pv_visits=True)
    assert got.best == got.moves[0].move and got.moves[0].order == 0 and got.root.visits == 60 and got.root.player == "B"
    assert all(0 <= m.winrate <= 1 and isinstance(m.winrate, float) and m.pv[0] == m.move for m in got.moves)
    assert len(got.policy) == 15 * 15 + 1 and set(got.threats) == {"forbidden", "fives", "fours", "openFours"}
    assert not got.during_search and got.outcome is None and got.raw["rootInfo"]["visits"] == 60
    won = engine.analyze("h8a1i8a3j8a5", rules="freestyle", visits=50)
    assert won.root.proven.result == "win" and won.moves[0].proven.line[0] == won.best
    over = engine.analyze("a1a2b1b2c1c2d1d2e1", rules="freestyle", size=7)
    assert over.outcome.winner == "B" and over.moves == () and over.best == "" and over.root is None
    both = engine.analyze("h8", engine="each", visits=20, nodes=500)
    assert both.alphabeta.root.engine == "alphabeta" and both.alphabeta.moves[0].score is not None


def test_games_positions_and_openings(engine):
    turns = engine.analyze_game("d4d5e5", size=7, visits=8)
    assert [a.root.player for a in turns] == ["B", "W", "B", "W"]
    position = engine.position([("B", "d4"), ("W", "d5")], size=7, rules="renju")
    assert position.stones == (("B", "d4"), ("W", "d5")) and position.player == "B" and position.inputs is None and position.legal is None
    cards = engine.position(["crane a1a2"], game="onitama", position="Monkey,Crane/Tiger,Crab/Dragon", inputs=True)
    assert cards.inputs.version == "onitama-2" and set(cards.inputs.actions) == set(cards.legal) and len(cards.pieces) == 10
    openings = engine.openings(count=3, plies=(2, 3), seed=5)
    assert len(openings) == 3 and all(2 <= len(o.moves) <= 3 and abs(o.value) <= 1 for o in openings)
    assert engine.models()[0].name == "uniform" and engine.version
    engine.clear_cache()


def test_what_is_wrong_is_refused(engine):
    with pytest.raises(EngineError) as err:
        engine.analyze("h8h8")
    assert err.value.code == "illegal" and err.value.field == "moves[1]"
    with pytest.raises(EngineError, match="rule") as err:
        engine.analyze(rules="checkers")
    assert err.value.code == "invalid"
    with pytest.raises(EngineError):
        engine.position("h8", size=99)
    with pytest.raises(TypeError, match="maxVisits"):
        engine.analyze("h8", maxVisits=3)
    with pytest.raises(TypeError, match="visits"):
        engine.position("h8", visits=3)
    with pytest.raises(TypeError, match="cannot be sent"):
        engine.analyze("h8", settings={"cpuct": object()})
    with pytest.raises(ValueError):
        engine.analyze("h8", settings={"cpuct": float("nan")})
    with pytest.raises(ValueError, match="points"):
        engine.analyze("h8 and so on")
    with pytest.raises(EngineError) as err:
        engine.submit(["h8" * 200_000])
    assert err.value.code == "too_big"
    warned = engine.analyze("h8", visits=3, settings={"cpukt": 3})
    assert "cpukt" in warned.warnings[0]
    assert engine.analyze("h8", visits=3).warnings == ()


def test_searches_are_cancelled(engine):
    search = begun(engine)
    with pytest.raises(TimeoutError):
        search.result(0.2)
    assert not search.done()
    search.cancel()
    assert search.result(30).root.visits > 0
    running = begun(engine)
    waiting = engine.submit("h8i9", **ENDLESS)  # on one thread
    waiting.cancel()
    with pytest.raises(Cancelled):
        waiting.result(30)
    engine.cancel_all()
    running.result(30)
    with pytest.raises(TimeoutError):
        engine.analyze("h8", timeout=0.1, **ENDLESS)
    assert engine.analyze("h8", visits=5, timeout=30).root.visits == 5  # the one before does not stand in its way


def test_reports_come_on_the_way(engine):
    search = engine.submit("h8", report_every=0.01, **ENDLESS)
    seen = []
    for report in search:
        seen.append(report)
        if len(seen) == 3:
            search.cancel()
    assert [r.during_search for r in seen[:3]] == [True] * 3 and not seen[-1].during_search
    visits = [r.root.visits for r in seen]
    assert visits == sorted(visits)
    assert [r.during_search for r in engine.submit("h8", visits=5)] == [False]


def test_many_threads_share_an_engine(engine):
    want = engine.analyze("h8", visits=30)
    got = [None] * 8
    threads = [threading.Thread(target=lambda i=i: got.__setitem__(i, [engine.analyze("h8", visits=30) for _ in range(5)])) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(a == want for answers in got for a in answers)


def test_async():
    async def work():
        async with Engine(model="uniform", threads=2) as engine:
            moves = await asyncio.gather(*[engine.submit("h8", visits=v) for v in (5, 6, 7)])
            assert [m.root.visits for m in moves] == [5, 6, 7]
            seen = 0
            search = engine.submit("h8", report_every=0.01, **ENDLESS)
            async for report in search:
                seen += 1
                if seen == 3:
                    search.cancel()
            assert seen >= 4 and not report.during_search
            task = asyncio.ensure_future(asyncio.wait_for(engine.submit("h8", **ENDLESS), 0.2))
            with pytest.raises(asyncio.TimeoutError):
                await task
            left = engine.submit("h8", **ENDLESS)
        with pytest.raises(EngineGone, match="closed"):
            await left

    asyncio.run(work())


def test_an_engine_that_dies_is_noticed():
    engine = Engine(model="uniform", threads=1)
    search = engine.submit("h8", **ENDLESS)
    os.kill(pid_of(engine), signal.SIGKILL)
    with pytest.raises(EngineGone, match="signal 9"):
        search.result(30)
    for _ in range(3):
        with pytest.raises(EngineGone):
            engine.analyze("h8")
    engine.close()
    engine.close()


def test_an_engine_that_does_not_start_says_why(tmp_path):
    with pytest.raises(EngineGone, match="status 2.*abacus"):
        Engine(flags=["--rule=abacus"])
    with pytest.raises(ProgramError, match="cannot be run"):
        Engine(program=str(tmp_path / "none"))
    for body, what in (("cat", "no carozero"), ("exit 7", "status 7"), ("echo what; read x; echo; exit 0", "what"), ("read x; echo '{\"error\":\"no\"}'; cat", "no")):
        fake = tmp_path / "fake"
        fake.write_text(f"#!/bin/sh\n{body}\n")
        fake.chmod(0o755)
        with pytest.raises((EngineError, ProgramError), match=what):
            Engine(program=str(fake))
    before = threading.active_count()
    with pytest.raises(EngineError):
        Engine(flags=["--rule=abacus"])
    assert threading.active_count() <= before


def end_group(process):
    """Ends what is left of a process that leads a session of its own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(60)
    process.stdout.close()


def python(code, **more):
    return subprocess.Popen([sys.executable, "-u", "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, **more)


START = """
import os, sys, time
from carozero import Engine
engine = Engine(model="uniform", threads=1)
search = engine.submit("h8", visits=10**9, report_every=0.05)
next(iter(search))
print(engine._connection._process.pid)
"""


@pytest.mark.parametrize("end", ["kill", "terminate", "exit", "raise", "fork"])
def test_an_engine_ends_with_python(end):
    code = {"exit": "sys.exit(0)", "raise": "1 / 0"}.get(end, "time.sleep(600)")
    if end == "fork":  # the child lives on, but holds nothing of the engine
        code = "\nif os.fork() == 0:\n    time.sleep(600)\nprint('forked')\ntime.sleep(600)"
    process = python(START + code, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        pid = int(process.stdout.readline())
        if end == "fork":
            assert process.stdout.readline() == "forked\n"
            time.sleep(0.3)  # for the child to run its first lines
        if end in ("kill", "fork"):
            process.kill()
        elif end == "terminate":
            process.terminate()
        process.wait(60)
        assert gone(pid)
    finally:
        end_group(process)


def test_ctrl_c_is_pythons():
    code = START + """
shown = engine.submit("h8i8", visits=10**9, report_every=0.05)
try:
    next(iter(shown))
    print("waiting")
    engine.analyze("h8", visits=10**9)
except KeyboardInterrupt:
    search.cancel()
    shown.cancel()
    print(search.result(30).root.visits > 0, engine.analyze("h8", visits=3, timeout=30).root.visits)
"""
    process = python(code.replace("threads=1", "threads=2"), start_new_session=True)
    try:
        process.stdout.readline()
        assert process.stdout.readline() == "waiting\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "True 3\n" and process.returncode == 0
    finally:
        end_group(process)


def test_a_forked_child_is_told_that_the_engine_is_not_its_own(engine):
    code = START + """
if os.fork() == 0:
    try:
        engine.analyze("h8")
    except Exception as err:
        print(type(err).__name__, err)
    engine.close()
    with Engine(model="uniform") as own:
        print(own.analyze("h8", visits=3).root.visits)
    os._exit(0)
os.wait()
search.cancel()
print(search.result(30).root.visits > 0)
"""
    out = python(code).communicate(timeout=120)[0].splitlines()[1:]
    assert out[0].startswith("EngineGone this engine belongs to") and out[1:] == ["3", "True"]


def test_an_engine_that_nobody_holds_ends():
    engine = Engine(model="uniform", threads=1)
    pid, search = pid_of(engine), begun(engine)
    del engine
    gc.collect()
    search.cancel()
    assert search.result(30).root.visits > 0  # whoever waits holds it
    del search
    gc.collect()
    assert gone(pid)


def test_the_program_is_found(monkeypatch, tmp_path):
    where = program.find()
    monkeypatch.setenv(program.VARIABLE, where)
    assert program.find() == where
    monkeypatch.setenv(program.VARIABLE, os.path.relpath(where))
    assert os.path.isabs(program.find())
    monkeypatch.setenv(program.VARIABLE, str(tmp_path / "none"))
    with pytest.raises(ProgramError, match="CAROZERO_PROGRAM"):
        program.find()
