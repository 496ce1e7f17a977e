"""Reads the msgpack objects of a shard from bytes that nobody vouches for.

What a file may unfold to grows with the file: FLOOR bytes, and RATIO times
those read of it. Keys that the trainer does not use are skipped without being
built, and what is built has few lists and maps, so that a small file cannot
take the memory.
"""

from __future__ import annotations

import msgpack
import zstandard

from ..errors import DataError

FLOOR, RATIO = 64 << 20, 512
MAX_OBJECT = 2**31 - 1
MAX_WINDOW = 8 << 20

# Bounds on the lists and maps of what is built, games apart.
MAX_LENGTH, MAX_VALUES = 4096, 1 << 20

# Keys of the header that the trainer uses.
HEADER = {"format", "version", "game", "rule", "size", "planes", "globals", "seed", "rows", "games"}


class _Meter:
    """A file that counts the bytes read of it."""

    def __init__(self, file):
        self.file, self.count = file, 0

    def read(self, size=-1):
        data = self.file.read(size)
        self.count += len(data)
        return data


class _Bounded:
    """The bytes under the compression, within the budget."""

    def __init__(self, stream, meter):
        self.stream, self.meter, self.count = stream, meter, 0

    def read(self, size=-1):
        data = self.stream.read(size)
        self.count += len(data)
        if self.count > FLOOR + RATIO * self.meter.count:
            raise DataError(f"unfolds to more than {self.count} bytes after {self.meter.count} of the file")
        return data


class Reader:
    """Reads a shard's header and then its columns."""

    def __init__(self, file):
        meter = _Meter(file)
        decompressor = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
        stream = decompressor.stream_reader(meter, read_across_frames=True)
        self.values = 0
        self.unpacker = msgpack.Unpacker(
            _Bounded(stream, meter),
            raw=False,
            max_buffer_size=MAX_OBJECT,
            max_array_len=MAX_LENGTH,
            max_map_len=MAX_LENGTH,
            list_hook=self._count,
            object_hook=self._count,
        )

    def header(self) -> dict:
        """Returns the keys of the header that the trainer uses. Of a game there
        are its id and what it forks from, of a rule all."""
        return self._map(HEADER, {"games": self._games})

    def columns(self, names) -> dict:
        """Returns the columns of these names."""
        return self._map(names, {})

    def _count(self, value):
        self.values += 1 + len(value)
        if self.values > MAX_VALUES:
            raise DataError(f"more than {MAX_VALUES} values")
        return value

    def _map(self, wanted, readers) -> dict:
        out = {}
        for _ in range(self._length(0x80, 0xDE, "map")):
            key = self.unpacker.unpack()
            if isinstance(key, str) and key in wanted:
                out[key] = readers.get(key, self.unpacker.unpack)()
            else:
                self.unpacker.skip()
        return out

    def _games(self) -> list:
        return [self._map({"id", "fork"}, {}) for _ in range(self._length(0x90, 0xDC, "list"))]

    def _length(self, short: int, wide: int, what: str) -> int:
        """Returns the length at the start of a map or list, of any size: the
        unpacker's own bounds are for what it builds."""
        code = self._bytes(1)[0]
        if code & 0xF0 == short:
            return code & 0x0F
        if code not in (wide, wide + 1):
            raise DataError(f"msgpack code {code:#x} where a {what} must be")
        return int.from_bytes(self._bytes(2 if code == wide else 4), "big")

    def _bytes(self, n: int) -> bytes:
        data = self.unpacker.read_bytes(n)
        if len(data) < n:
            raise msgpack.OutOfData
        return data
