"""The build of an extension finds the lock file of one that was killed, and waits for its removal."""
# expect: hang warning
# options: --hang-after 3
# within: 12
# outside: nothing: that it lasts for longer than --hang-after

import os
import tempfile

from torch.utils.file_baton import FileBaton


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lock")
        assert FileBaton(path).try_acquire()
        FileBaton(path).wait()


main()
