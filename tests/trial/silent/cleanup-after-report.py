"""The error is logged before the executor is shut down, which waits for work when SIGTERM comes."""
# expect: none
# stop: SIGTERM 9

import concurrent.futures
import logging
import socket


def fetch():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox:
        inbox.bind(("127.0.0.1", 0))
        return inbox.recv(1)


def train():
    raise RuntimeError("CUDA out of memory")


def main():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(fetch)
        try:
            train()
        except RuntimeError as error:
            logging.error("training failed: %s", error)
            raise


if __name__ == "__main__":
    main()
