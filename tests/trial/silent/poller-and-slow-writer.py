"""One of two children failed, and nobody asks after it; the parent polls the pipe until the other writes after twelve seconds."""
# expect: none

import os
import select
import time


def main():
    read_end, write_end = os.pipe()
    for number in range(2):
        if os.fork() == 0:
            if number == 0:
                os._exit(2)
            time.sleep(12)
            os.write(write_end, b"result")
            os._exit(0)
    while not select.select([read_end], [], [], 0.5)[0]:
        pass
    print(os.read(read_end, 10))
    for _ in range(2):
        os.wait()


main()
