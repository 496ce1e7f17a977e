"""setup_venv.sh, run in a scratch copy against package indexes on loopback.

Everything but pip is made up: the packages are a few bytes large, and nothing
leaves the machine. Runs under pytest, and with the standard library alone:
python3 -m unittest tests/test_setup_venv.py
"""

import base64
import hashlib
import http.server
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

TRAIN = pathlib.Path(__file__).resolve().parent.parent
BOUND = 300  # seconds for one run of the script, so that no test hangs

BACKEND = '''
import zipfile
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "carozero_train-1.0-py3-none-any.whl"
    info = "carozero_train-1.0.dist-info/"
    with zipfile.ZipFile(folder + "/" + name, "w") as w:
        w.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: carozero-train\\nVersion: 1.0\\n")
        w.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        w.writestr(info + "RECORD", "")
        w.writestr("carozero_train/__init__.py", "")
        for part in ("cli", "export", "trainer"):
            w.writestr("carozero_train/" + part + ".py", "")
    return name
'''


def wheel(name, version, body="", requires=()):
    """Returns the file name and the bytes of a made-up package."""
    info = f"{name}-{version}.dist-info/"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {r}\n" for r in requires)
    files = {
        f"{name}/__init__.py": body or f"__version__ = {version!r}\n",
        info + "METADATA": metadata,
        info + "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text)}\n"
    files[info + "RECORD"] = record + info + "RECORD,,\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as w:
        for path, text in files.items():
            w.writestr(path, text)
    return f"{name}-{version}-py3-none-any.whl", out.getvalue()


class Index:
    """Package indexes below one address: /default and /cpu."""

    def __init__(self):
        self.files = {"default": {}, "cpu": {}}
        self.asked = []
        self.silent = None  # an event: /cpu answers only when it is set
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        if self.silent:
            self.silent.set()
        self.server.shutdown()
        self.server.server_close()

    def add(self, index, name, version, **more):
        file, data = wheel(name, version, **more)
        self.files[index].setdefault(name.replace("_", "-"), {})[file.replace("+", "%2B")] = data

    def answer(self, request):
        self.asked.append(request.path)
        parts = request.path.strip("/").split("/")
        if parts[0] == "cpu" and self.silent:
            self.silent.wait()
            return
        package = self.files.get(parts[0], {}).get(parts[1]) if len(parts) > 1 else None
        if package is None:
            return request.send_error(404)
        if len(parts) == 2:
            body = "".join(f'<a href="{request.path.rstrip("/")}/{f}">{f}</a>' for f in package).encode()
            kind = "text/html"
        else:
            body, kind = package[parts[2]], "application/octet-stream"
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def fetched(self, index):
        return sorted(p.rsplit("/", 1)[1] for p in self.asked if p.startswith(f"/{index}/") and p.endswith(".whl"))


# A PyTorch that computes, as far as the script looks.
TORCH = """
import types
__version__ = {version!r}
cuda = types.SimpleNamespace(is_available=lambda: False)
def ones(*shape): return shape
nn = types.SimpleNamespace(Linear=lambda i, o: lambda x: types.SimpleNamespace(shape=(x[0], o)))
"""
GPU = ["glue", "nvidia-blas==1.25; platform_system == 'Linux'", "triton~=1.25", "odd ; extra == 'odd'"]


class SetupTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp())
        # An environment without packages; copying it is faster than making one, and
        # what is compiled in it stays so with the times of the files.
        subprocess.run([getattr(sys, "_base_executable", sys.executable), "-m", "venv", cls.root / "base"], check=True, timeout=BOUND)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def setUp(self):
        self.index = Index()
        self.addCleanup(self.index.close)
        for name in ("numpy", "pytest", "glue", "nvidia_blas", "triton"):
            self.index.add("default", name, "1.25")
        for index, version, requires in (("default", "2.9.0", GPU), ("default", "1.13.1", GPU), ("default", "2.15.7", GPU), ("default", "2.16.0", GPU), ("cpu", "2.8.0+cpu", ["glue"])):
            self.index.add(index, "torch", version, body=TORCH.format(version=version), requires=requires)

        self.dir = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        self.bin = self.dir / "bin"
        self.bin.mkdir()
        (self.dir / "dev").mkdir()
        self.script("nvidia-smi", "exit 9")
        self.script("uname", "echo Linux")
        self.script("id", "echo 1000")
        self.script("apt-get", "exit 9")
        base = self.root / "base"
        python = self.script(
            "python3",
            f'if [ "$1 $2" = "-m venv" ]; then for to; do :; done; exec cp -Rp {base} "$to"; fi; exec {base}/bin/python "$@"',
        )
        script = (TRAIN / "setup_venv.sh").read_text().replace("/usr/bin/python3", str(python))
        (self.dir / "setup_venv.sh").write_text(script)
        (self.dir / "setup_venv.sh").chmod(0o755)
        shutil.copy(TRAIN / "without_cuda.py", self.dir)
        (self.dir / "requirements.txt").write_text("pytest\n")
        (self.dir / "backend.py").write_text(BACKEND)
        (self.dir / "pyproject.toml").write_text(
            '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        )

    def script(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    def run_script(self, *args, **env):
        kept = {k: v for k, v in os.environ.items() if not k.upper().startswith(("PIP_", "PYTHON", "TORCH_")) and "PROXY" not in k.upper()}
        kept.update(
            PATH=f"{self.bin}:{os.environ['PATH']}",
            HOME=str(self.dir),
            PIP_CONFIG_FILE=os.devnull,
            PIP_NO_CACHE_DIR="1",
            PIP_INDEX_URL=self.index.url + "/default",
            TORCH_CPU_INDEX=self.index.url + "/cpu",
            TORCH_DEVICES=str(self.dir / "dev"),
        )
        kept.update(env)
        result = subprocess.run(
            ["./setup_venv.sh", *args], cwd=self.dir, env=kept, timeout=BOUND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.said = result.stderr
        self.assertEqual(result.stdout, "")
        if result.returncode:
            self.said += "".join(log.read_text() for log in self.dir.glob(".venv*.log"))
        return result.returncode

    def torch(self, venv=".venv"):
        python = self.dir / venv / "bin/python"
        out = subprocess.run([python, "-c", "import torch, glue; print(torch.__version__)"], stdout=subprocess.PIPE, text=True, timeout=BOUND)
        return out.stdout.strip()

    def test_without_a_gpu_the_index_for_processors_is_taken(self):
        self.assertEqual(self.run_script(PIP_EXTRA_INDEX_URL=self.index.url + "/default"), 0, self.said)
        self.assertEqual(self.torch(), "2.8.0+cpu")
        self.assertEqual(self.index.fetched("cpu"), ["torch-2.8.0%2Bcpu-py3-none-any.whl"])
        self.assertNotIn("torch-2.9.0-py3-none-any.whl", self.index.fetched("default"))
        self.assertIn(f"no GPU here: installing PyTorch for processors from {self.index.url}/cpu", self.said)
        self.assertRegex(self.said, r"downloading .*torch-2\.8\.0.*\(\d+(\.\d+)? (bytes|kB)\)")
        self.assertRegex(self.said, r"downloading .*glue")
        self.assertNotIn("GB", self.said)
        # The second call has nothing to do.
        self.index.asked.clear()
        self.assertEqual(self.run_script(), 0, self.said)
        self.assertEqual((self.said, self.index.asked), ("", []))

    def test_with_a_gpu_the_default_index_is_taken(self):
        self.script("nvidia-smi", "exit 0")
        self.assertEqual(self.run_script(), 0, self.said)
        self.assertEqual(self.torch(), "2.15.7")
        self.assertIn("GB", self.said)
        self.assertIn("nvidia_blas-1.25-py3-none-any.whl", self.index.fetched("default"))
        self.assertFalse([p for p in self.index.asked if p.startswith("/cpu")])

    def without_gpu_libraries(self):
        self.assertEqual(self.torch(), "2.15.7")
        self.assertIn("glue-1.25-py3-none-any.whl", self.index.fetched("default"))
        self.assertFalse([f for f in self.index.fetched("default") if f.startswith(("nvidia", "triton", "odd"))])
        self.assertIn("from the default index without its libraries for GPUs", self.said)
        self.assertNotIn("GB", self.said)

    def test_a_silent_index_is_left_after_some_seconds(self):
        self.index.silent = threading.Event()
        (self.dir / "dev/null").touch()
        self.assertEqual(self.run_script(TORCH_CPU_SECONDS="1"), 0, self.said)
        self.assertRegex(self.said, r"/cpu did not answer within 1 seconds")
        self.without_gpu_libraries()

    def test_an_index_without_a_fitting_package_is_left(self):
        self.index.files["cpu"]["torch"] = {"torch-2.8.0-cp27-cp27m-win32.whl": b""}
        self.assertEqual(self.run_script(), 0, self.said)
        self.assertRegex(self.said, r"that failed \(.*torch.*\)")
        self.without_gpu_libraries()

    def test_a_pytorch_that_needs_its_libraries_gets_them(self):
        self.index.files["cpu"].clear()
        self.index.files["default"]["torch"].clear()
        body = "import nvidia_blas\n" + TORCH.format(version="2.15.7")
        self.index.add("default", "torch", "2.15.7", body=body, requires=GPU)
        self.assertEqual(self.run_script(), 0, self.said)
        self.assertEqual(self.torch(), "2.15.7")
        self.assertRegex(self.said, r"that failed \(.*nvidia_blas.*\): installing PyTorch from the default index, .* GB")

    def apt(self, torch):
        """Plants an apt-get that installs a PyTorch, which is found with PYTHONPATH=there."""
        there = self.dir / "there"
        self.script("id", "echo 0")
        self.script(
            "apt-get",
            f'echo "$@" >>{self.dir}/apt\n[ "$1" = install ] || exit 0\n{"exit 100" if torch is None else ""}\n'
            f"mkdir -p {there}/torch\necho \"__version__ = '{torch}'\" >{there}/torch/__init__.py",
        )
        return lambda: (self.dir / "apt").read_text() if (self.dir / "apt").exists() else ""

    def test_root_without_the_index_takes_the_distributions(self):
        self.index.files["cpu"].clear()
        asked = self.apt("2.4.1")
        self.assertEqual(self.run_script(PYTHONPATH=str(self.dir / "there")), 0, self.said)
        self.assertIn("install -y -qq --no-install-recommends python3 python3-venv python3-torch python3-numpy libopenblas0-openmp", asked())
        self.assertIn("PyTorch of the distribution", self.said)
        self.assertFalse([p for p in self.index.asked if p.startswith("/default/torch")])

    def blas(self, folder):
        """Plants a distribution's PyTorch with a BLAS in that folder; returns the environment
        that has it."""
        there, links = self.dir / "there", self.dir / "links"
        (there / "torch").mkdir(parents=True)
        body = TORCH.format(version="2.4.1") + '__config__ = types.SimpleNamespace(show=lambda: "BLAS_INFO=generic")\n'
        (there / "torch/__init__.py").write_text(body)
        library = self.dir / folder / "libblas.so.3"
        library.parent.mkdir()
        library.touch()
        links.mkdir()
        (links / "libblas.so.3-x86_64-linux-gnu").symlink_to(library)
        return {"PYTHONPATH": str(there), "TORCH_ALTERNATIVES": str(links)}

    def test_the_reference_blas_is_told(self):
        self.assertEqual(self.run_script(**self.blas("blas")), 0, self.said)
        self.assertIn("PyTorch is slow with the reference BLAS: install libopenblas0-openmp", self.said)

    def test_root_gets_a_fast_blas(self):
        asked = self.apt(None)
        self.assertEqual(self.run_script(**self.blas("blas")), 0, self.said)
        self.assertIn("install -y -qq --no-install-recommends libopenblas0-openmp", asked())
        self.assertIn("that failed", self.said)

    def test_a_fast_blas_is_left(self):
        asked = self.apt(None)
        self.assertEqual(self.run_script(**self.blas("openblas-openmp")), 0, self.said)
        self.assertEqual((asked(), self.said), ("", ""))

    def test_apt_comes_after_the_index_for_processors(self):
        asked = self.apt("2.4.1")
        self.assertEqual(self.run_script(), 0, self.said)
        self.assertEqual((asked(), self.torch()), ("", "2.8.0+cpu"))

    def test_apt_that_fails_or_is_not_wanted_is_left(self):
        self.index.files["cpu"].clear()
        asked = self.apt("2.4.1")
        self.assertEqual(self.run_script(TORCH_SYSTEM="no"), 0, self.said)
        self.assertEqual(asked(), "")
        self.without_gpu_libraries()
        shutil.rmtree(self.dir / ".venv")
        asked = self.apt(None)
        self.assertEqual(self.run_script(), 0, self.said)
        self.assertIn("install", asked())
        self.without_gpu_libraries()

    def test_the_oldest_and_the_newest_are_there_beside_each_other(self):
        self.index.files["cpu"].clear()
        for which, version in (("oldest", "1.13.1"), ("newest", "2.15.7")):
            self.assertEqual(self.run_script(which), 0, self.said)
            self.assertEqual(self.torch(f".venv-{which}"), version)
        self.assertFalse((self.dir / ".venv").exists())
        self.assertEqual(self.run_script("latest"), 2)
        self.assertIn("want oldest, newest or nothing", self.said)

    def test_no_index_at_all_is_one_error(self):
        self.assertNotEqual(self.run_script(TORCH_CPU_INDEX=self.index.url + "/none", PIP_INDEX_URL=self.index.url + "/none"), 0)
        self.assertRegex(self.said, r"setup_venv: installing PyTorch failed: .*torch")
        self.assertFalse((self.dir / ".venv").exists())

    def test_a_pytorch_that_is_there_is_taken(self):
        there = self.dir / "there"
        (there / "torch").mkdir(parents=True)
        (there / "torch/__init__.py").write_text("__version__ = '2.4.1'\n")
        self.assertEqual(self.run_script(PYTHONPATH=str(there)), 0, self.said)
        self.assertEqual(self.said, "")
        self.assertFalse([p for p in self.index.asked if "torch" in p])


if __name__ == "__main__":
    unittest.main()
