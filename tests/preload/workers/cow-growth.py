"""A list of two million strings is inherited by a fork, and reading it copies it: reference counts lie in it."""
# expect: cow-growth warning

import os

WORDS = [str(number) for number in range(2_000_000)]


def main():
    pid = os.fork()
    if pid == 0:
        total = sum(len(word) for word in WORDS)
        os._exit(total != 12_888_890)
    print(os.waitpid(pid, 0)[1])


if __name__ == "__main__":
    main()
