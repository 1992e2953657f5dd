"""The cure of cow-growth.py: the same data in one array, of which reading copies nothing."""
# expect: none
# silent: cow-growth
# prints: 0

import array
import os

NUMBERS = array.array("q", range(10_000_000))


def main():
    pid = os.fork()
    if pid == 0:
        total = sum(NUMBERS)
        os._exit(total != 49_999_995_000_000)
    print(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    main()
