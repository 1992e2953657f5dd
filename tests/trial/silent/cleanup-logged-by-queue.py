"""The error is logged to a queue from which another thread writes, before a clean-up that waits when SIGTERM comes."""
# expect: none
# stop: SIGTERM 9

import concurrent.futures
import logging
import logging.handlers
import queue
import socket


def fetch():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox:
        inbox.bind(("127.0.0.1", 0))
        return inbox.recv(1)


def train():
    raise RuntimeError("CUDA out of memory")


def main():
    records = queue.SimpleQueue()
    listener = logging.handlers.QueueListener(records, logging.StreamHandler())
    listener.start()
    logging.getLogger("training").addHandler(logging.handlers.QueueHandler(records))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(fetch)
        try:
            train()
        except RuntimeError as error:
            logging.getLogger("training").error("failed: %s", error)
            raise


if __name__ == "__main__":
    main()
