"""Training fails; `finally` closes and joins the pool, whose task waits for a host that never answers. A supervisor sends SIGTERM."""
# expect: cleanup-hides-error warning
# may: parent-lost warning
# says: had waited for \d+ s in a clean-up at main \(cleanup-killed-pool.py:31\) while handling RuntimeError\('CUDA out of memory'\) raised at train
# says: when SIGTERM came: nobody was told of the exception
# says: Pool.terminate\(\) rather than close\(\)
# stop: SIGTERM 8
# within: 20

import multiprocessing
import socket


def fetch(_):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as inbox:
        inbox.bind(("127.0.0.1", 0))
        return inbox.recv(1)


def train():
    raise RuntimeError("CUDA out of memory")


def main():
    pool = multiprocessing.get_context("fork").Pool(2)
    try:
        pool.map_async(fetch, range(2))
        train()
    finally:
        pool.close()
        pool.join()


if __name__ == "__main__":
    main()
