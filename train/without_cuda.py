"""Makes a PyTorch for GPUs run on a machine without one, without CUDA's libraries.

    python without_cuda.py FOLDER

PyTorch's packages on the default index are built for GPUs, and loading them needs the
libraries of CUDA, gigabytes of them, even where no GPU is ever asked. FOLDER, that of
PyTorch's own libraries, gets stand-ins instead: small libraries of the same names,
written with the C compiler, whose functions all answer that there is no device. The
standard library alone is needed here, and readelf and cc.
"""

import os
import re
import subprocess
import sys
import tempfile

CUDA = re.compile(r"lib(cu|nv|nccl)")  # libraries that are stood in for
BARE = re.compile(r"p?nccl|cu[A-Zs]|nv")  # their functions, where these name no library
NO_DEVICE = 100  # cudaErrorNoDevice, and CUDA_ERROR_NO_DEVICE


def read(*args):
    return subprocess.run(["readelf", "--wide", *args], env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE, text=True, check=True).stdout


def wanted(folder):
    """Returns the functions that the libraries of a folder want of those that are missing in it:
    for each of these by name, for each version of its symbols ("" for none)."""
    missing, bare = {}, set()
    there = os.listdir(folder)
    for name in sorted(there):
        if ".so" not in name:
            continue
        path = os.path.join(folder, name)
        for library in re.findall(r"\(NEEDED\).*\[(.+)\]", read("--dynamic", path)):
            if CUDA.match(library) and library not in there:
                missing.setdefault(library, {})
        owner, library = {}, None
        for line in read("--version-info", path).splitlines():
            if found := re.search(r" File: (\S+)", line):
                library = found[1]
            elif found := re.search(r" Name: (\S+)", line):
                owner[found[1]] = library
        for symbol in re.findall(r" UND (\S+)", read("--dyn-syms", path)):
            function, _, version = symbol.partition("@")
            version = version.lstrip("@")
            if owner.get(version) in missing:
                missing[owner[version]].setdefault(version, set()).add(function)
            elif not version and BARE.match(function):
                bare.add(function)
    for versions in missing.values():
        if not versions and bare:
            versions[""] = bare
    return missing


def stand_in(folder, library, versions):
    """Writes a library whose functions all answer that there is no device."""
    with tempfile.TemporaryDirectory() as scratch:
        source, script = os.path.join(scratch, "source.c"), os.path.join(scratch, "versions")
        functions = sorted(set().union(*versions.values()))
        with open(source, "w") as f:
            f.writelines(f"int {name}(void) {{ return {NO_DEVICE}; }}\n" for name in functions)
        with open(script, "w") as f:
            f.writelines(f"{version} {{ global: {'; '.join(sorted(names))}; }};\n" for version, names in sorted(versions.items()) if version)
        command = ["cc", "-shared", "-fPIC", "-fno-builtin", "-w", "-o", os.path.join(folder, library), source, "-Wl,-soname," + library]
        if any(versions):
            command.append("-Wl,--version-script=" + script)
        subprocess.run(command, check=True)


def main(folder):
    for library, versions in sorted(wanted(folder).items()):
        stand_in(folder, library, versions)


if __name__ == "__main__":
    main(sys.argv[1])
