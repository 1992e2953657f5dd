"""A transaction fails, and `finally` reads the last answer of a host that never sends it. A supervisor sends SIGTERM."""
# expect: cleanup-hides-error warning
# says: in a clean-up at close \(cleanup-killed-at-socket.py:16\) while handling KeyError\('balance'\) raised at transfer
# says: take a timeout
# stop: SIGTERM 8
# within: 20

import socket


def transfer(account):
    return account["balance"]


def close(peer):
    peer.recv(1)


def main():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
        peer.bind(("127.0.0.1", 0))
        try:
            transfer({})
        finally:
            close(peer)


if __name__ == "__main__":
    main()
