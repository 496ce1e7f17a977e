"""Signals that ask a run to stop."""

from __future__ import annotations

import signal
from contextlib import contextmanager


@contextmanager
def on_signals(ask):
    """Calls ask() at SIGINT and SIGTERM, in place of what they do otherwise."""

    def asked(_number, _frame):
        ask()

    kinds = (signal.SIGINT, signal.SIGTERM)
    try:
        old = {kind: signal.signal(kind, asked) for kind in kinds}
    except ValueError:  # not the main thread: signals are someone else's
        yield
        return
    try:
        yield
    finally:
        for kind, handler in old.items():
            signal.signal(kind, handler)
