"""PettingZoo's AEC class and Gymnasium's spaces; where they are not installed, as much of
them as a game of two needs, under the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

if TYPE_CHECKING:
    AECEnv = Any
else:
    try:
        from gymnasium import spaces
        from pettingzoo import AECEnv
    except ImportError:
        spaces = AECEnv = None


class Discrete:
    """Whole numbers from 0 to n-1."""

    def __init__(self, n: int):
        self.n, self.shape, self.dtype = n, (), np.dtype(np.int64)
        self._random = np.random.default_rng()

    def seed(self, seed: Optional[int] = None) -> None:
        self._random = np.random.default_rng(seed)

    def sample(self, mask: Optional[np.ndarray] = None) -> int:
        """Draws a number, of those whose mask is not 0 if there is a mask; 0 if none is."""
        numbers = np.arange(self.n) if mask is None else np.flatnonzero(mask)
        return int(self._random.choice(numbers)) if len(numbers) else 0

    def contains(self, x: Any) -> bool:
        return isinstance(x, (int, np.integer)) and 0 <= int(x) < self.n

    __contains__ = contains


class Box:
    """Arrays of one shape and type with values between two bounds."""

    def __init__(self, low: float, high: float, shape: Tuple[int, ...], dtype: Any):
        self.low, self.high, self.shape, self.dtype = low, high, shape, np.dtype(dtype)

    def contains(self, x: Any) -> bool:
        if not isinstance(x, np.ndarray) or x.shape != self.shape or x.dtype != self.dtype:
            return False
        return bool(((x >= self.low) & (x <= self.high)).all())

    __contains__ = contains


class Fields:
    """Dicts with one space for each key."""

    def __init__(self, spaces: Dict[str, Any]):
        self.spaces = spaces

    def __getitem__(self, key: str) -> Any:
        return self.spaces[key]

    def contains(self, x: Any) -> bool:
        return isinstance(x, dict) and x.keys() == self.spaces.keys() and all(x[k] in s for k, s in self.spaces.items())

    __contains__ = contains


class Turns:
    """What agents that move in turn need, as PettingZoo's AECEnv has it."""

    agents: List[str]
    agent_selection: str
    rewards: Dict[str, float]
    _cumulative_rewards: Dict[str, float]
    terminations: Dict[str, bool]
    truncations: Dict[str, bool]
    infos: Dict[str, Dict[str, Any]]

    @property
    def num_agents(self) -> int:
        return len(self.agents)

    @property
    def unwrapped(self) -> Any:
        return self

    def observe(self, agent: str) -> Any:
        raise NotImplementedError

    def last(self, observe: bool = True) -> Tuple[Any, float, bool, bool, Dict[str, Any]]:
        """Returns the observation, reward, termination, truncation and info of the agent
        whose turn it is."""
        agent = self.agent_selection
        seen = self.observe(agent) if observe else None
        return seen, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """Yields whose turn it is until no agent is left."""
        while self.agents and max_iter > 0:
            yield self.agent_selection
            max_iter -= 1

    def _accumulate_rewards(self) -> None:
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += reward

    def _was_dead_step(self, action: Any) -> None:
        if action is not None:
            raise ValueError("the game is over: the only action left is None")
        agent = self.agent_selection
        for table in (self.terminations, self.truncations, self.rewards, self._cumulative_rewards, self.infos):
            del table[agent]
        self.agents.remove(agent)
        if self.agents:
            self.agent_selection = self.agents[0]
        for left in self.rewards:
            self.rewards[left] = 0


# The base of an environment, and the makers of its spaces.
Base: Any = AECEnv or Turns
if not TYPE_CHECKING and spaces is not None:
    Discrete, Fields = spaces.Discrete, spaces.Dict

    def Box(low, high, shape, dtype):  # noqa: F811
        return spaces.Box(low, high, shape, dtype)
