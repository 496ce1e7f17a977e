"""Puts the program into a wheel, and names the platform that it is for.

CAROZERO_WHEEL=PLATFORM=PATH, as linux/amd64=bin/carozero, is for make wheels; without it
the wheel has the program of make build if there is one, for this machine. The same files
and SOURCE_DATE_EPOCH give the same bytes.
"""

import os
import re
import subprocess
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
VERSION = "1.0.0"

# The program is linked statically and knows no C library: it runs on every Linux.
# Go's macOS and Windows decide the oldest ones there.
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


def version() -> str:
    """Returns the version: of a checkout with its commit, so that two builds differ in it."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    except OSError:
        return VERSION
    return VERSION + ("+g" + done.stdout.strip().replace("-", ".") if done.returncode == 0 else "")


class ProgramHook(BuildHookInterface):
    """The build hook; an editable wheel has no program."""

    def initialize(self, version, build_data):
        if version == "editable":
            return
        build_data["force_include"][str(HERE.parent / "LICENSE")] = "carozero/LICENSE"
        platform, _, path = os.environ.get("CAROZERO_WHEEL", "").partition("=")
        if platform and (platform not in TAGS or not Path(path).is_file()):
            raise ValueError(f"CAROZERO_WHEEL={platform}={path}: want one of {', '.join(TAGS)}, =, and a file")
        built = [p for p in (HERE.parent / "bin" / "carozero", HERE.parent / "bin" / "carozero.exe") if p.is_file()]
        for program in [Path(path)] if platform else built[:1]:
            tag = TAGS.get(platform) or re.sub(r"[-.]", "_", sysconfig.get_platform())
            build_data["force_include"][str(program)] = f"carozero/bin/carozero{program.suffix}"
            build_data.update(tag=f"py3-none-{tag}", pure_python=False)
