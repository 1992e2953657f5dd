"""Ctrl-C in a clean-up that waits: Python prints the error together with KeyboardInterrupt."""
# expect: none
# stop: SIGINT 9

import concurrent.futures
import socket


def fetch():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox:
        inbox.bind(("127.0.0.1", 0))
        inbox.settimeout(20)
        return inbox.recv(1)


def train():
    raise RuntimeError("CUDA out of memory")


def main():
    pool = concurrent.futures.ThreadPoolExecutor(1)
    try:
        pool.submit(fetch)
        train()
    finally:
        pool.shutdown()


if __name__ == "__main__":
    main()
