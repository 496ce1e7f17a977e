"""The engine: a process that answers many questions, one after the other or at once.

    with Engine() as engine:
        print(engine.analyze("h8i9", visits=400).best)

    async with Engine() as engine:
        a, b = await asyncio.gather(engine.submit("h8"), engine.submit("h8i9"))
"""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

from . import program as programs
from . import query as queries
from .connection import START, Connection
from .errors import EngineError, ProgramError
from .results import Analysis, Model, Opening, Position
from .search import Reply, Search

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .query import Game, Moves, Query


class Engine:
    """A process of the program's command analysis.

    model is a network: a shipped name, a path, or "uniform"; threads is how many
    positions are searched at once, by default one a core; flags are further ones of
    the command, as in ("--rule=renju", "--table=128"). program is the path of another
    program than the package's.

    An engine ends when it is closed, when it is left as a context, when nobody holds
    it, and with Python. Its methods may be called from any thread. Moves are a text
    ("h8i9") or a list ("h8", "i9"); the fields of queries are those of query.Query.
    """

    def __init__(
        self, model: Optional[str] = None, *, threads: Optional[int] = None, flags: Sequence[str] = (), program: Optional[str] = None
    ):
        command = [program or programs.find(), "analysis", "--quit-without-waiting"]
        command += [f"--model={model}"] if model is not None else []
        command += [f"--analysis-threads={threads}"] if threads is not None else []
        self._connection = Connection([*command, *flags])
        self._end = weakref.finalize(self, self._connection.close)
        try:
            said = self._ask({"action": "query_version"}, START)
            self.version = str(said["version"])
        except KeyError:
            self.close()
            raise ProgramError(f"{command[0]} is no carozero") from None
        except TimeoutError:
            self._connection.kill()
            raise ProgramError(f"{command[0]} did not answer within {START:.0f} seconds: is it carozero?") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the engine. Who still waits for an answer gets EngineGone."""
        self._end()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def submit(self, moves: Union[str, Moves] = (), **query: Unpack[Query]) -> Search:
        """Begins a search of the position after the moves."""
        return Search(self, self._connection, queries.line(moves, {**queries.GAME, **queries.SEARCH}, dict(query)))

    def analyze(self, moves: Union[str, Moves] = (), *, timeout: Optional[float] = None, **query: Unpack[Query]) -> Analysis:
        """Searches the position after the moves. If the answer is not there after
        timeout seconds, or Ctrl-C is pressed, the search is cancelled."""
        search = self.submit(moves, **query)
        try:
            return search.result(timeout)
        except BaseException:
            search.cancel()
            raise

    def analyze_game(self, moves: Union[str, Moves], **query: Unpack[Query]) -> List[Analysis]:
        """Searches each position of a game, the first before its first move."""
        moves = queries.listed(moves)
        searches: List[Search] = []
        try:
            for turn in range(len(moves) + 1):
                searches.append(self.submit(moves[:turn], **query))
            return [search.result() for search in searches]
        except BaseException:
            for search in searches:
                search.cancel()
            raise

    def position(
        self, moves: Union[str, Moves] = (), *, inputs: bool = False, timeout: Optional[float] = None, **game: Unpack[Game]
    ) -> Position:
        """Returns what there is to see after the moves, and what a network reads there
        if inputs is true."""
        fields = queries.line(moves, queries.GAME, dict(game))
        if inputs:
            fields["includeInputs"] = True
        return Position.read(self._ask({"action": "query_position", **fields}, timeout)["position"])

    def openings(
        self,
        moves: Union[str, Moves] = (),
        *,
        count: int = 1,
        plies: Tuple[int, int] = (2, 6),
        tolerance: float = 0.3,
        seed: int = 1,
        timeout: Optional[float] = None,
        **game: Unpack[Game],
    ) -> List[Opening]:
        """Returns openings that go on from the moves; see docs/analysis.md."""
        fields: Dict[str, Any] = {"count": count, "plies": list(plies), "tolerance": tolerance, "seed": seed}
        fields.update(queries.line(moves, queries.GAME, dict(game)), action="query_opening")
        answer = self._ask(fields, timeout)
        return [Opening(tuple(o["moves"]), o["value"]) for o in answer["openings"]]

    def models(self) -> List[Model]:
        """Returns the networks that are open."""
        return [Model(m["name"], m.get("sha256", "")) for m in self._ask({"action": "query_models"}, None)["models"]]

    def clear_cache(self) -> None:
        """Empties the cache of network results."""
        self._ask({"action": "clear_cache"}, None)

    def cancel_all(self) -> None:
        """Cancels all searches."""
        self._ask({"action": "terminate_all"}, None)

    def _ask(self, fields: Dict[str, Any], timeout: Optional[float]) -> Dict[str, Any]:
        answer = Reply(self._connection, fields).result(timeout)
        if answer.get("noResults"):
            raise EngineError(str(answer.get("error", "the question was cancelled")), str(answer.get("code", "")))
        return answer
