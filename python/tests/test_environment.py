"""The environment: PettingZoo's own test, rules and rewards."""

import warnings

import numpy as np
import pytest

from carozero import EngineError, Environment, IllegalMove, Samples

FIRST, SECOND = "player_0", "player_1"


@pytest.mark.parametrize("game", [{"rules": "freestyle", "size": 7}, {"rules": "school42", "size": 6}, {"game": "onitama"}])
def test_pettingzoos_own_test(game, engine):
    from pettingzoo.test import api_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what it would rather see, as a Box in place of a Dict
        api_test(Environment(engine=engine, **game), num_cycles=120)


def test_rewards_and_the_end(engine):
    env = Environment("freestyle", 7, engine=engine, render_mode="ansi")
    env.reset(options={"moves": ["a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2"]})
    assert env.agent_selection == FIRST and env.last()[0]["action_mask"].sum() == 41
    assert not env.observe(SECOND)["action_mask"].any()
    env.step(env.action_of("e1"))
    assert env.rewards == {FIRST: 1, SECOND: -1} and all(env.terminations.values()) and env.infos[FIRST]["reason"] == "line"
    assert env.last()[1:4] == (-1, True, False)
    assert env.render().splitlines()[-2] == " 1 X X X X X . ."
    env.step(None)
    assert env.agents == [FIRST] and env.last()[1] == 1
    env.step(None)
    assert env.agents == []
    env.reset()
    assert env.moves == () and env.rewards == {FIRST: 0, SECOND: 0} and env.agents == [FIRST, SECOND]


def test_illegal_actions_change_nothing(engine):
    env = Environment(size=6, engine=engine)
    env.reset()
    env.step(np.array(7))
    before = env.last()[0]
    for action in (7, -1, 36, None, "b2", 1.5, True, np.True_):
        with pytest.raises(IllegalMove):
            env.step(action)
    assert env.moves == ("b2",) and (env.last()[0]["observation"] == before["observation"]).all()
    with pytest.raises(IllegalMove):
        env.action_of("b2")
    with pytest.raises(EngineError):
        env.reset(options={"moves": ["b2", "b2"]})
    assert env.moves == ("b2",)
    with pytest.raises(EngineError):
        Environment("checkers", engine=engine)
    with pytest.raises(ValueError):
        Environment(render_mode="human", engine=engine)


def test_long_games_are_truncated(engine):
    env = Environment(size=6, max_plies=3, engine=engine)
    env.reset()
    for action in (0, 8, 16):
        env.step(action)
    assert all(env.truncations.values()) and not any(env.terminations.values()) and env.last()[1] == 0
    env.step(None)
    env.step(None)
    assert env.agents == []


def test_observations_are_the_samples(engine, gomoku):
    """A row's planes are what the environment shows where that game is played."""
    data = next(iter(Samples(gomoku).shards()))
    env = Environment(data.header["rule"]["name"], data.size, engine=engine)
    columns, seen = data.columns, 0
    for i in range(data.rows - 1):
        same = columns["game"][i + 1] == columns["game"][i] and columns["ply"][i + 1] == columns["ply"][i] + 1
        if seen == 0 and columns["ply"][i] != 0:
            continue
        if seen == 0:
            env.reset()
        got = env.last()[0]
        np.testing.assert_array_equal(np.packbits(got["observation"].reshape(12, -1), axis=1), columns["planes"][i])
        np.testing.assert_array_equal(np.packbits(got["action_mask"]), columns["legal"][i])
        np.testing.assert_array_equal(got["globals"], columns["globals"][i])
        env.step(columns["played"][i])
        seen = seen + 1 if same else 0
