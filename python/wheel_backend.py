"""Builds the wheel for `pip install .` (PEP 517): CMake makes and installs the component `python`, this file packs it.

`pip install . -C cmake=-DPETSC_DIR=/opt/petsc` hands arguments on to CMake.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
REQUIRES = ("numpy", "mpi4py", "petsc4py")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = re.search(r"project\(rhumb VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    with tempfile.TemporaryDirectory() as folder:
        _build(pathlib.Path(folder), (config_settings or {}).get("cmake", ""))
        files = {file.relative_to(folder): file.read_bytes() for file in sorted(pathlib.Path(folder).rglob("*")) if file.is_file()}
    information = pathlib.Path(f"rhumb-{version}.dist-info")
    needs = "".join(f"Requires-Dist: {name}\n" for name in REQUIRES)
    files[information / "METADATA"] = f"Metadata-Version: 2.1\nName: rhumb\nVersion: {version}\n{needs}".encode()
    files[information / "WHEEL"] = f"Wheel-Version: 1.0\nGenerator: rhumb\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    name = f"rhumb-{version}-{tag}.whl"
    _pack(pathlib.Path(wheel_directory) / name, files, information / "RECORD")
    return name


def _build(prefix, arguments):
    build = SOURCE / "build-pip"
    # pip hides the system's packages from Python; CMake asks Python where they are.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def call(*words):
        subprocess.run([str(word) for word in words], check=True, env=environment)

    call("cmake", "-S", SOURCE, "-B", build, "-DRHUMB_PYTHON=ON", "-DRHUMB_TESTS=OFF", "-DRHUMB_PYTHON_FOLDER=.",
         f"-DPython3_EXECUTABLE={sys.executable}", *arguments.split())
    call("cmake", "--build", build, "-j", os.environ.get("RHUMB_JOBS", str(os.cpu_count())), "--target", "_rhumb")
    call("cmake", "--install", build, "--component", "python", "--prefix", prefix)



def _pack(file, contents, record):
    lines = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}\n")
            wheel.writestr(str(path), data)
        wheel.writestr(str(record), "".join(lines) + f"{record},,\n")
