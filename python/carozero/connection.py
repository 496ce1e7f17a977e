"""A process of the program's command analysis: lines out, lines in, and its end.

One thread reads the process's answers, one its standard error; both end with it.
The process ends when its input does: when the connection is closed, when Python ends,
also if it is killed, and when nobody holds the engine any more.
"""

from __future__ import annotations

import collections
import io
import json
import os
import subprocess
import threading
import weakref
from typing import Any, Callable, Deque, Dict, List, Sequence, Tuple

from .errors import EngineError, EngineGone, ProgramError

# Bounds of the program: bytes of a line, and seconds for it to start and to end.
LONGEST = 256 << 10
START, END = 60.0, 5.0

Message = Dict[str, Any]
Tell = Callable[[Message], None]
Gone = Callable[[EngineError], None]


def _plain(value: Any) -> Any:
    """Returns the Python number of one of numpy's."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} cannot be sent to the engine")


class Connection:
    """The process and who waits for its messages. tell(message) is called in the
    reading thread for each message with the id that it was given for, and gone(error)
    if the process ends before the id is forgotten."""

    def __init__(self, command: Sequence[str]):
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._waiting: Dict[str, Tuple[Tell, Gone]] = {}
        self._said: Deque[str] = collections.deque(maxlen=20)
        self._ended: List[EngineGone] = []
        self._next, self._owner, self._closed = 0, os.getpid(), False
        # In a group of its own: Ctrl-C is for Python, which decides what becomes of the engine.
        apart: Dict[str, Any] = (
            {"start_new_session": True} if os.name == "posix" else {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
        )
        try:
            self._process = subprocess.Popen(
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, **apart
            )
        except OSError as err:
            raise ProgramError(f"{command[0]} cannot be run: {err.strerror}") from None
        _open.add(self)
        self._threads = [threading.Thread(target=run, daemon=True, name=run.__name__) for run in (self._listen, self._read)]
        for thread in self._threads:
            thread.start()

    def ask(self, fields: Message, tell: Tell, gone: Gone) -> str:
        """Sends a message under a new id, which it returns, and calls as said above
        until forget."""
        if os.getpid() != self._owner:
            raise EngineGone("this engine belongs to the process that this one was forked from: start another one here")
        with self._lock:
            if self._ended:
                raise EngineGone(str(self._ended[0]))
            self._next += 1
            name = str(self._next)
            data = json.dumps({"id": name, **fields}, allow_nan=False, default=_plain).encode()
            if len(data) > LONGEST:
                raise EngineError(f"a query of {len(data)} bytes: want {LONGEST} at most", "too_big")
            self._waiting[name] = (tell, gone)
        self._write(data + b"\n")
        return name

    def forget(self, name: str) -> None:
        """Ends the calls for an id."""
        with self._lock:
            self._waiting.pop(name, None)

    def send(self, fields: Message) -> None:
        """Sends a message whose answer nobody needs."""
        self._write(json.dumps({"id": "-", **fields}).encode() + b"\n")

    def close(self) -> None:
        """Ends the process; whoever waits is told."""
        if os.getpid() != self._owner:
            return
        self._closed = True
        if not self._writing.acquire(timeout=END):  # somebody waits in vain for it to read
            self._process.kill()
            self._writing.acquire()
        try:
            assert self._process.stdin is not None
            self._process.stdin.close()
        except OSError:
            pass
        finally:
            self._writing.release()
        for patience in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(END)
                break
            except subprocess.TimeoutExpired:
                patience()
        self._process.wait()
        current = threading.current_thread()
        for thread in self._threads:
            if thread is not current:
                thread.join(END)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None and not any(thread.is_alive() for thread in self._threads):
                pipe.close()

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()
        self.close()

    def _write(self, data: bytes) -> None:
        with self._writing:
            view = memoryview(data)
            try:
                while view:
                    assert self._process.stdin is not None
                    view = view[self._process.stdin.write(view) :]
            except (OSError, ValueError):  # gone, or closed: the reading thread tells all who wait
                pass

    def _read(self) -> None:
        """Hands on what the process says, until it ends."""
        assert self._process.stdout is not None
        try:
            for text in io.BufferedReader(self._process.stdout):  # type: ignore[type-var]
                self._deliver(text)
        except (OSError, ValueError):  # closed
            pass
        self._end()

    def _deliver(self, text: bytes) -> None:
        try:
            message = json.loads(text)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self._said.append(f"it said {text[:200]!r}")
            return
        name = message.get("id")
        if name is None and "error" in message:  # it cannot say who asked: none shall wait for ever
            self._tell_all(EngineError(str(message["error"]), str(message.get("code", ""))))
        with self._lock:
            waiting = self._waiting.get(name) if isinstance(name, str) else None
        if waiting:
            try:
                waiting[0](message)
            except Exception as err:
                waiting[1](EngineError(f"an answer that this package cannot read ({type(err).__name__}: {err})"))

    def _end(self) -> None:
        """Tells all who wait that the process has ended."""
        try:
            status = self._process.wait(END)
        except subprocess.TimeoutExpired:  # it closed its output but lives
            self._process.kill()
            status = self._process.wait()
        self._threads[0].join(END)
        if self._closed:
            error = EngineGone("the engine was closed")
        else:
            how = f"was ended by signal {-status}" if status < 0 else f"has ended with status {status}"
            said = "; ".join(list(self._said)[-3:])
            error = EngineGone(f"the engine {how}" + (f": {said}" if said else ""))
        with self._lock:
            self._ended.append(error)
        self._tell_all(error)

    def _tell_all(self, error: EngineError) -> None:
        with self._lock:
            waiting, self._waiting = list(self._waiting.values()), {}
        for _, gone in waiting:
            gone(error)

    def _listen(self) -> None:
        """Keeps the last lines of what the process complains of."""
        assert self._process.stderr is not None
        try:
            for text in io.BufferedReader(self._process.stderr):  # type: ignore[type-var]
                if text.strip():
                    self._said.append(text.decode("utf-8", "replace").strip())
        except (OSError, ValueError):  # closed
            pass


# A forked child would keep the engine's input open after its parent has ended.
_open: weakref.WeakSet[Connection] = weakref.WeakSet()


def _after_fork() -> None:
    for connection in list(_open):
        for pipe in (connection._process.stdin, connection._process.stdout, connection._process.stderr):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
