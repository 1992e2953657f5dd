"""Programs started from a parent with the device, with and without preexec_fn, use it themselves."""
# expect: none
# may: fork-preexec-fn warning
# silent: cuda-before-fork cuda-in-forked-child cuda-stale-query
# fake: cuda

import os
import subprocess
import sys

from cuda_calls import Runtime

CODE = "from cuda_calls import Runtime; print(Runtime().allocate(4096) != 0)"

if __name__ == "__main__":
    Runtime().allocate(4096)
    print(subprocess.check_output([sys.executable, "-c", CODE]))
    print(subprocess.check_output([sys.executable, "-c", CODE], preexec_fn=os.setsid))
    print(os.popen("echo shell").read())
