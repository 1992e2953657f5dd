"""Case 57: memory that is left out of forks, as drivers of network cards do with theirs, is read in a child."""
# expect: fork-dontfork-memory error
# frames: read_there

import mmap
import os

MADV_DONTFORK = 10


def read_there(memory):
    return memory[0]


def main():
    memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory[0] = 1
    memory.madvise(MADV_DONTFORK)
    pid = os.fork()
    if pid == 0:
        read_there(memory)
        os._exit(0)
    print("ended by signal", os.WTERMSIG(os.waitpid(pid, 0)[1]))


if __name__ == "__main__":
    main()
