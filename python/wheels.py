"""Makes wheels of the package: zip archives with the program inside and metadata.

    python wheels.py --out bin/wheels linux/amd64=PATH windows/arm64=PATH ...

makes one for each platform, of the program at PATH. The same files and date
(SOURCE_DATE_EPOCH) give the same bytes. Nothing but Python is needed.

It is pip's build backend too: of ./python, with the program that make build has made,
which has ONNX Runtime where the wheels' programs have none.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VERSION = "1.0.0"

METADATA = """\
Metadata-Version: 2.1
Name: carozero
Version: {version}
Summary: The engine CaroZero for caro and the gomoku family, its samples and games, from Python
License: MIT
Requires-Python: >=3.9
Provides-Extra: data
Provides-Extra: env
Requires-Dist: numpy>=1.23; extra == "data"
Requires-Dist: msgpack<2,>=1.0.3; extra == "data"
Requires-Dist: zstandard<1,>=0.19; extra == "data"
Requires-Dist: numpy>=1.23; extra == "env"
Requires-Dist: pettingzoo<2,>=1.24; extra == "env"
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{readme}"""

# The program is linked statically and knows no C library: it runs on every Linux.
# Go's macOS and Windows decide the oldest ones there.
TAGS = {
    "linux/amd64": ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
    "linux/arm64": ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
    "darwin/amd64": ["macosx_12_0_x86_64"],
    "darwin/arm64": ["macosx_12_0_arm64"],
    "windows/amd64": ["win_amd64"],
    "windows/arm64": ["win_arm64"],
}


class Entry(NamedTuple):
    """A file of a wheel."""

    name: str
    data: bytes
    mode: int = 0o644


def version() -> str:
    """Returns the version: of a checkout with its commit, so that two builds differ in it."""
    commit = git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")
    return VERSION + ("+g" + commit.replace("-", ".") if commit else "")


def git(*arguments: str) -> str:
    """Returns what git says, "" where there is none."""
    try:
        done = subprocess.run(["git", *arguments], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def date() -> tuple:
    """Returns the date of all files: SOURCE_DATE_EPOCH, else that of the commit, in UTC;
    not before 1980, when zip's time begins."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct") or "0"
    return max(time.gmtime(int(seconds))[:6], (1980, 1, 1, 0, 0, 0))


def sources() -> List[Entry]:
    """Returns the package's files."""
    package = HERE / "carozero"
    files = sorted(p for p in package.rglob("*") if p.is_file() and (p.suffix == ".py" or p.name == "py.typed"))
    return [Entry(p.relative_to(HERE).as_posix(), p.read_bytes()) for p in files]


def information(number: str, tags: List[str], pure: bool) -> List[Entry]:
    """Returns the metadata."""
    folder = f"carozero-{number}.dist-info"
    lines = [f"Tag: py3-none-{tag}\n" for tag in tags]
    wheel = f"Wheel-Version: 1.0\nGenerator: carozero\nRoot-Is-Purelib: {str(pure).lower()}\n" + "".join(lines)
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    return [
        Entry(f"{folder}/METADATA", METADATA.format(version=number, readme=readme).encode()),
        Entry(f"{folder}/WHEEL", wheel.encode()),
        Entry(f"{folder}/entry_points.txt", b"[console_scripts]\ncarozero = carozero.program:main\n"),
        Entry(f"{folder}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()),
    ]


def record(entries: List[Entry], folder: str) -> Entry:
    """Returns the list of all files with their digests."""
    lines = []
    for entry in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(entry.data).digest()).rstrip(b"=").decode()
        lines.append(f"{entry.name},sha256={digest},{len(entry.data)}\n")
    return Entry(f"{folder}/RECORD", ("".join(lines) + f"{folder}/RECORD,,\n").encode())


def write(out: Path, number: str, tags: List[str], entries: List[Entry], pure: bool = False) -> Path:
    """Writes a wheel as a whole, or not at all, and returns its path."""
    entries = [*entries, *information(number, tags, pure)]
    entries.append(record(entries, f"carozero-{number}.dist-info"))
    path = out / f"carozero-{number}-py3-none-{'.'.join(tags)}.whl"
    out.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for entry in entries:
                info = zipfile.ZipInfo(entry.name, date())
                info.create_system = 3  # Unix, whose rights the next line gives
                info.external_attr = (0o100000 | entry.mode) << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, entry.data, compresslevel=6)
        os.replace(unfinished, path)
    finally:
        if unfinished.exists():
            unfinished.unlink()
    return path


def program(path: Path) -> Entry:
    """Returns the program as the package has it."""
    name = "carozero.exe" if path.suffix == ".exe" else "carozero"
    return Entry(f"carozero/bin/{name}", path.read_bytes(), 0o755)


# What pip calls (PEP 517 and 660).


def get_requires_for_build_wheel(config_settings: Optional[Dict] = None) -> List[str]:
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Optional[Dict] = None, metadata_directory: Optional[str] = None) -> str:
    """Makes a wheel for this machine, with the program of make build if there is one."""
    built = [p for p in (ROOT / "bin" / "carozero", ROOT / "bin" / "carozero.exe") if p.is_file()]
    tags = [re.sub(r"[-.]", "_", sysconfig.get_platform())] if built else ["any"]
    return write(Path(wheel_directory), version(), tags, sources() + [program(p) for p in built[:1]], pure=not built).name


def build_editable(wheel_directory: str, config_settings: Optional[Dict] = None, metadata_directory: Optional[str] = None) -> str:
    """Makes a wheel that leads to this folder."""
    return write(Path(wheel_directory), version(), ["any"], [Entry("carozero-checkout.pth", f"{HERE}\n".encode())], pure=True).name


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes wheels with the program inside.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the wheels")
    parser.add_argument("programs", nargs="+", metavar="PLATFORM=PATH", help=f"one of {', '.join(TAGS)}, and its program")
    args = parser.parse_args()
    for word in args.programs:
        platform, _, path = word.partition("=")
        if platform not in TAGS or not Path(path).is_file():
            parser.error(f"{word!r}: want one of {', '.join(TAGS)}, =, and the path of its program")
        made = write(args.out, version(), TAGS[platform], sources() + [program(Path(path))])
        print(f"{made}  {made.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
