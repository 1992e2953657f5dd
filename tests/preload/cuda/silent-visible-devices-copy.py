"""The environment of a child is not this process's: Popen(env=…) after the driver was initialised."""
# expect: none
# silent: cuda-visible-devices-late
# fake: cuda 2

import os
import subprocess
import sys

from cuda_calls import Runtime

CODE = "from cuda_calls import Runtime; print(Runtime().devices())"

if __name__ == "__main__":
    Runtime().allocate(4096)
    for device in "0", "1":
        print(subprocess.check_output([sys.executable, "-c", CODE], env={**os.environ, "CUDA_VISIBLE_DEVICES": device}))
