"""What was asked of an engine and is not answered yet."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from typing import Any, AsyncIterator, Dict, Generator, Generic, Iterator, List, Optional, TypeVar

from .connection import Connection
from .errors import Cancelled, EngineError
from .results import Analysis

T = TypeVar("T")


class Pending(Generic[T]):
    """An answer that will come, or an error. It may be awaited."""

    def __init__(self, connection: Connection, fields: Dict[str, Any]):
        self._connection = connection
        self._future: concurrent.futures.Future[T] = concurrent.futures.Future()
        self._future.set_running_or_notify_cancel()  # nothing but an answer ends it
        self._id = connection.ask(fields, self._told, self._failed)

    def result(self, timeout: Optional[float] = None) -> T:
        """Waits for the answer; raises TimeoutError after so many seconds."""
        if not concurrent.futures.wait([self._future], timeout).done:
            raise TimeoutError(f"no answer within {timeout} seconds")
        return self._future.result()

    def done(self) -> bool:
        """Reports whether the answer, or an error, is there."""
        return self._future.done()

    def _told(self, message: Dict[str, Any]) -> None:
        """Takes a message, in the reading thread."""
        raise NotImplementedError

    def _failed(self, error: EngineError) -> None:
        """Ends with an error, in the reading thread."""
        if not self._future.done():
            self._future.set_exception(error)

    def _error(self, message: Dict[str, Any]) -> EngineError:
        return EngineError(message["error"], message.get("code", ""), message.get("field", ""))


class Reply(Pending[Dict[str, Any]]):
    """The answer to an action."""

    def _told(self, message: Dict[str, Any]) -> None:
        if "warning" in message:
            return
        self._connection.forget(message["id"])
        if "error" in message:
            self._failed(self._error(message))
        else:
            self._future.set_result(message)


class Search(Pending[Analysis]):
    """A search under way. Wait for its result, await it, or go through its reports,
    of which the last is the result: without report_every there is no other. Skips
    reports that were not read in time."""

    def __init__(self, engine: object, connection: Connection, fields: Dict[str, Any]):
        self._engine = engine  # which lives as long as somebody waits for its answer
        self._changed = threading.Condition()
        self._latest: Optional[Analysis] = None
        self._count = 0
        self._warnings: List[str] = []
        super().__init__(connection, fields)

    def cancel(self) -> None:
        """Ends the search: its result is what it has found so far, or the error
        Cancelled if that is nothing."""
        if not self.done():
            self._connection.send({"action": "terminate", "terminateId": self._id})

    def __iter__(self) -> Iterator[Analysis]:
        seen = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._count > seen or self.done())
                report, seen = self._latest, self._count
            if self.done():
                yield self.result()
                return
            assert report is not None
            yield report

    def __await__(self) -> Generator[Any, None, Analysis]:
        return self._awaited().__await__()

    async def _awaited(self) -> Analysis:
        try:
            return await asyncio.wrap_future(self._future)
        except asyncio.CancelledError:
            self.cancel()
            raise

    async def __aiter__(self) -> AsyncIterator[Analysis]:
        loop, reports = asyncio.get_running_loop(), iter(self)
        try:
            while True:
                report = await loop.run_in_executor(None, next, reports, None)
                if report is None:
                    return
                yield report
        except (asyncio.CancelledError, GeneratorExit):
            self.cancel()
            raise

    def _told(self, message: Dict[str, Any]) -> None:
        if "warning" in message:
            self._warnings.append(f"{message.get('field', '')}: {message['warning']}")
            return
        if message.get("isDuringSearch"):
            self._report(Analysis.read(message, tuple(self._warnings)))
            return
        self._connection.forget(message["id"])
        if "error" in message:
            self._failed(self._error(message))
        elif message.get("noResults") and "outcome" not in message:
            self._failed(Cancelled("the search was cancelled before it had found anything"))
        else:
            self._future.set_result(Analysis.read(message, tuple(self._warnings)))
            self._report(None)

    def _failed(self, error: EngineError) -> None:
        super()._failed(error)
        self._report(None)

    def _report(self, report: Optional[Analysis]) -> None:
        """Wakes those who iterate over the reports."""
        with self._changed:
            if report is not None:
                self._latest, self._count = report, self._count + 1
            self._changed.notify_all()
