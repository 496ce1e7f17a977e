"""A game of two agents after PettingZoo's AEC API, for learning by reinforcement.

    env = Environment(rules="freestyle", size=9)
    env.reset()
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))

The rules and the input planes are the program's.
"""

from __future__ import annotations

import operator
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError as err:
    raise ImportError("carozero.Environment needs PettingZoo (pip install 'carozero[env]')") from err

from .engine import Engine
from .errors import IllegalMove
from .results import Position

FIRST, SECOND = "player_0", "player_1"
SIDES = {"B": FIRST, "W": SECOND}


class Environment(AECEnv):  # type: ignore[misc]
    """The agents are "player_0", who moves first, and "player_1". An observation has the "observation", the
    planes [planes, rows, columns] u1 as docs/samples.md names them, the "globals" f4 and the
    "action_mask" i1 [actions]. All is as the side to move sees it; the mask of the other
    agent, and of both at the end, is zeros. Rewards are 1, 0 or -1 at the end. An illegal
    action raises IllegalMove and changes nothing. After max_plies moves the game is truncated.

    engine is one to share among environments; without it each starts its own.
    """

    metadata = {"name": "carozero_v1", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        rules: Optional[str] = None,
        size: Optional[int] = None,
        *,
        game: str = "gomoku",
        position: Optional[str] = None,
        max_plies: int = 2000,
        engine: Optional[Engine] = None,
        render_mode: Optional[str] = None,
    ):
        if render_mode not in (None, *self.metadata["render_modes"]):  # type: ignore[misc]
            raise ValueError(f"render_mode is {render_mode!r}, want 'ansi' or None")
        if not 1 <= max_plies <= 2000:
            raise ValueError(f"max_plies is {max_plies}, want 1 to 2000")
        self._game: Dict[str, Any] = {"rules": rules, "size": size, "game": game, "position": position}
        self.max_plies, self.render_mode = max_plies, render_mode
        self._own = engine is None
        self.engine = engine or Engine(model="uniform", threads=1)
        self.possible_agents = [FIRST, SECOND]
        self.agents: List[str] = []
        self._moves: List[str] = []
        try:
            self._look()
        except BaseException:
            self.close()
            raise
        self.size: int = self._inputs.shape[1]
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, self._inputs.shape, np.uint8),
                "globals": spaces.Box(-np.inf, np.inf, (len(self._inputs.globals),), np.float32),
                "action_mask": spaces.Box(0, 1, (self._inputs.policy,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = {agent: spaces.Discrete(self._inputs.policy) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> None:
        """Begins a game. options may have "moves", an opening, and "position", the start as
        text. Nothing is random, so the seed changes nothing."""
        options = options or {}
        game, moves = self._game, self._moves
        self._game = {**game, "position": options.get("position", game["position"])}
        self._moves = list(options.get("moves", ()))
        try:
            self._look()
        except BaseException:
            self._game, self._moves = game, moves
            raise
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: Dict[str, Dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = SIDES[self.position.player]
        self._judge()

    def step(self, action: Union[int, np.integer, None]) -> None:
        """Plays an action of the agent whose turn it is; None once its game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        move = self.move_of(action)
        self._moves.append(move)
        try:
            self._look()
        except BaseException:
            self._moves.pop()
            raise
        self._cumulative_rewards[agent] = 0
        self.rewards = dict.fromkeys(self.agents, 0)
        other = SECOND if agent == FIRST else FIRST
        self.agent_selection = SIDES[self.position.player] if self.position.outcome is None else other
        self._judge()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Dict[str, np.ndarray]:
        """Returns the observation of an agent."""
        mask = self._legal if self.agents and agent == self.agent_selection and not self._over() else np.zeros_like(self._legal)
        return {"observation": self._planes.copy(), "globals": self._globals.copy(), "action_mask": mask.astype(np.int8)}

    def move_of(self, action: Union[int, np.integer, None]) -> str:
        """Returns the text of a legal action: "h8"."""
        try:
            move = None if isinstance(action, bool) else self._by_action.get(operator.index(action))  # type: ignore[arg-type]
        except TypeError:
            move = None
        if move is None:
            raise IllegalMove(f"action {action!r} is no legal move of {self.agent_selection} after {self.moves}")
        return move

    def action_of(self, move: str) -> int:
        """Returns the action of a legal move."""
        if move not in self._inputs.actions:
            raise IllegalMove(f"{move!r} is no legal move of {self.agent_selection} after {self.moves}")
        return self._inputs.actions[move]

    @property
    def moves(self) -> Sequence[str]:
        """The moves of the game so far."""
        return tuple(self._moves)

    def render(self) -> Optional[str]:
        """Returns the board as text, with render_mode "ansi"."""
        if self.render_mode is None:
            return None
        cells = {square: "Xx"[kind == "student"] if p == "B" else "Oo"[kind == "student"] for p, kind, square in self.position.pieces}
        cells.update({point: "X" if p == "B" else "O" for p, point in self.position.stones})
        columns = [chr(ord("a") + x) for x in range(self.size)]
        rows = [" ".join(cells.get(f"{c}{y}", ".") for c in columns) for y in range(self.size, 0, -1)]
        return "\n".join(f"{self.size - i:2} {row}" for i, row in enumerate(rows)) + "\n   " + " ".join(columns)

    def close(self) -> None:
        """Ends the engine, if it is the environment's own."""
        if self._own:
            self.engine.close()

    def _look(self) -> None:
        """Reads what the program says of the position."""
        position: Position = self.engine.position(self._moves, inputs=True, **self._game)
        assert position.inputs is not None
        self.position, self._inputs = position, position.inputs
        self._planes, self._globals, self._legal = position.inputs.arrays()
        self._by_action = {action: move for move, action in position.inputs.actions.items()}

    def _over(self) -> bool:
        return self.position.outcome is not None or len(self._moves) >= self.max_plies

    def _judge(self) -> None:
        """Gives rewards if the game is over."""
        for agent in self.agents:
            self.infos[agent] = {"moves": len(self._moves)}
        outcome = self.position.outcome
        if outcome is None:
            self.truncations = dict.fromkeys(self.agents, self._over())
            return
        self.terminations = dict.fromkeys(self.agents, True)
        for agent in self.agents:
            self.infos[agent]["reason"] = outcome.reason
            if outcome.winner in SIDES:
                self.rewards[agent] = 1 if SIDES[outcome.winner] == agent else -1
