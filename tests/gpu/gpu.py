"""What the tests of this directory share: the device, the runtime, a Python with torch. They run on the real driver, or
with MPSAN_GPU_FAKE=1 on the stand-in as far as that goes."""

import functools
import glob
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import ROOT, Skip, fake_environment, system_python  # noqa: E402

FAKE = os.environ.get("MPSAN_GPU_FAKE") == "1"
PRELOAD = ROOT / "tests/preload"
LIBRARIES = ("/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib")
OWN_RUNTIME = ("cupy", "jax")
COUNT = "from cuda_calls import Driver; driver = Driver(); driver.cuInit(0); print(driver.devices())"


def environment(devices="1"):
    """What a program needs to find CUDA, and our own module of calls."""
    if FAKE:
        return fake_environment(["cuda", devices])
    places = [*sorted(place for pattern in LIBRARIES for place in glob.glob(pattern)), *wheel_places(),
              os.environ.get("LD_LIBRARY_PATH", "")]
    return {"LD_LIBRARY_PATH": ":".join(filter(None, places)), "PYTHONPATH": str(ROOT / "tests/lib")}


def wheel_places():
    """Where pip puts the runtime that torch brings along."""
    python = torch_python()
    if not python:
        return []
    code = "import glob, site; [print(*glob.glob(s + '/nvidia/*/lib'), sep='\\n') for s in site.getsitepackages()]"
    return [place for place in said_by(python, code).split() if glob.glob(f"{place}/libcudart.so.*")]


def said_by(python, code, env=None):
    run = subprocess.run([python, "-c", code], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    return run.stdout if run.returncode == 0 else ""


@functools.lru_cache(None)
def devices(asked):
    """How many there are; the stand-in has as many as are asked for."""
    return int(said_by(system_python(), COUNT, {**os.environ, **environment(str(asked))}).strip() or 0)


def need_devices(count=1):
    there = devices(count)
    if there < count:
        raise Skip(f"needs {count} CUDA device(s), there are {there or 'none'}")


@functools.lru_cache(None)
def python_that_says(code, word=""):
    """A Python that prints something with that word, or None. MPSAN_GPU_PYTHON names the first to be asked."""
    for python in filter(None, (os.environ.get("MPSAN_GPU_PYTHON"), system_python(), sys.executable, "python3")):
        said = said_by(python, code).strip()
        if said and word in said:
            return python
    return None


def torch_python():
    """A Python whose torch can use the device, or None."""
    return python_that_says("import torch; print(torch.version.cuda or '')")


def need_module_on_device(module):
    """A Python with a framework that does without torch."""
    need_devices()
    if FAKE and module in OWN_RUNTIME:
        raise Skip(f"the runtime that {module} brings along needs a real driver")
    python = python_that_says(f"import {module}; print(1)")
    if not python:
        raise Skip(f"no Python here has {module}")
    return python


def need_torch():
    python = None if FAKE else torch_python()
    if not python or "True" not in said_by(python, "import torch; print(torch.cuda.is_available())"):
        raise Skip("needs torch with CUDA, and a device for it")
    return python
