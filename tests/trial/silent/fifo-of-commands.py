"""A daemon opens its FIFO of commands for reading, and waits there until somebody writes, or it is stopped."""
# expect: none
# options: --hang-after 2
# stop: SIGTERM 6

import os
import tempfile


def main():
    with tempfile.TemporaryDirectory() as place:
        os.mkfifo(f"{place}/commands")
        with open(f"{place}/commands") as commands:
            commands.read()


main()
