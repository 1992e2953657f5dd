"""The parent asks each 200 ms whether its child still lives, which sleeps for six seconds."""
# expect: none

import multiprocessing
import time


def main():
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(6,))
    child.start()
    while child.is_alive():
        time.sleep(0.2)
    print(child.exitcode)


if __name__ == "__main__":
    main()
