"""Makes a PyTorch for GPUs run on a machine without one, without CUDA's libraries.

    python without_cuda.py requirements   prints what this Python's PyTorch needs besides them
    python without_cuda.py libraries      makes stand-ins for them, beside PyTorch's own
    python without_cuda.py FOLDER         the same for those of a folder

PyTorch's packages on the default index need gigabytes of CUDA's libraries even where no GPU
is ever asked. The stand-ins have their names, and functions that all answer that there is no
device. This needs readelf and cc.
"""

import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

CUDA = re.compile(r"lib(cu|nv|nccl)")  # libraries that are stood in for
BARE = re.compile(r"p?nccl|cu[A-Zs]|nv")  # their functions, where these name no library
NO_DEVICE = 100  # cudaErrorNoDevice, and CUDA_ERROR_NO_DEVICE


def read(*args):
    return subprocess.check_output(["readelf", "--wide", *args], env={**os.environ, "LC_ALL": "C"}, text=True)


def missing_functions(folder):
    """Returns, for each library of CUDA that is missing in a folder, the functions that the
    libraries there want of it, by the version of the symbols ("" for none)."""
    missing, bare, there = {}, set(), os.listdir(folder)
    for name in sorted(n for n in there if ".so" in n):
        path = os.path.join(folder, name)
        for library in re.findall(r"\(NEEDED\).*\[(.+)\]", read("--dynamic", path)):
            if CUDA.match(library) and library not in there:
                missing.setdefault(library, {})
        owner, library = {}, None
        for what, value in re.findall(r" (File|Name): (\S+)", read("--version-info", path)):
            if what == "File":
                library = value
            else:
                owner[value] = library
        for symbol in re.findall(r" UND (\S+)", read("--dyn-syms", path)):
            function, _, version = symbol.replace("@@", "@").partition("@")
            if owner.get(version) in missing:
                missing[owner[version]].setdefault(version, set()).add(function)
            elif not version and BARE.match(function):
                bare.add(function)
    return {library: versions or {"": bare} for library, versions in missing.items()}


def stand_in(folder, library, versions):
    """Writes a library whose functions all answer that there is no device."""
    with tempfile.TemporaryDirectory() as scratch:
        source, script = os.path.join(scratch, "source.c"), os.path.join(scratch, "versions")
        with open(source, "w") as f, open(script, "w") as g:
            f.writelines(f"int {name}(void) {{ return {NO_DEVICE}; }}\n" for name in set().union(*versions.values()))
            g.writelines(f"{v} {{ global: {'; '.join(sorted(n))}; }};\n" for v, n in sorted(versions.items()) if v)
        named = ["-Wl,--version-script=" + script] if any(versions) else []
        out = ["-o", os.path.join(folder, library), "-Wl,-soname," + library]
        subprocess.run(["cc", "-shared", "-fPIC", "-fno-builtin", "-w", source, *out, *named], check=True)


if __name__ == "__main__":
    if sys.argv[1] == "requirements":
        for need in importlib.metadata.requires("torch") or []:
            if "extra ==" not in need and not re.match("nvidia|cuda|triton|pytorch-triton", need):
                print(need)
        sys.exit()
    torch = importlib.util.find_spec("torch")
    folder = os.path.join(torch.submodule_search_locations[0], "lib") if sys.argv[1] == "libraries" else sys.argv[1]
    for library, versions in sorted(missing_functions(folder).items()):
        stand_in(folder, library, versions)
