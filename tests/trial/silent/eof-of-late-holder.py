"""The parent reads to the end of file, which comes only when a helper that has inherited the write end is done, after five seconds."""
# expect: none

import os
import time


def main():
    read_end, write_end = os.pipe()
    helper = os.fork()
    if helper == 0:
        time.sleep(5)
        os._exit(0)
    os.close(write_end)
    while data := os.read(read_end, 100):
        print(data)
    os.waitpid(helper, 0)


main()
