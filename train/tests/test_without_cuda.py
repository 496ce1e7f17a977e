"""Stand-ins for CUDA's libraries, made for libraries that a C compiler made."""

import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "without_cuda.py"


def library(folder, name, text, *flags):
    source = folder / "source.c"
    source.write_text(text)
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", folder / name, source, "-Wl,-soname," + name, f"-L{folder}", *flags], check=True)
    source.unlink()


def test_what_is_missing_answers_that_there_is_no_device(tmp_path):
    versions = tmp_path / "versions"
    versions.write_text("V1 { cudaCount; };\nV2 { cudaOther; };\n")
    library(tmp_path, "libcudatoy.so.1", "int cudaCount() {return 1;} int cudaOther() {return 1;}", f"-Wl,--version-script={versions}")
    library(tmp_path, "libnccltoy.so.2", "int ncclSend() {return 1;}")
    library(tmp_path, "libkept.so", "int kept() {return 7;}")
    library(
        tmp_path,
        "libuser.so",
        "int cudaCount(); int cudaOther(); int ncclSend(); int kept(); int sum() {return cudaCount() + 1000 * cudaOther() + 1000000 * ncclSend() + kept();}",
        "-l:libcudatoy.so.1",
        "-l:libnccltoy.so.2",
        "-l:libkept.so",
        "-Wl,-rpath,$ORIGIN",
        "-Wl,-z,now",
    )
    for name in ("libcudatoy.so.1", "libnccltoy.so.2", "versions"):
        (tmp_path / name).unlink()
    kept = (tmp_path / "libkept.so").read_bytes()
    for _ in range(2):  # the second time nothing is missing
        subprocess.run([sys.executable, SCRIPT, tmp_path], check=True)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["libcudatoy.so.1", "libkept.so", "libnccltoy.so.2", "libuser.so"]
    assert (tmp_path / "libkept.so").read_bytes() == kept
    # In a process of its own: a library that cannot be bound ends it.
    out = subprocess.run([sys.executable, "-c", f"import ctypes; print(ctypes.CDLL('{tmp_path}/libuser.so').sum())"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert (out.stdout, out.stderr) == ("100100107\n", "")
