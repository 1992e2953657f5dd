"""Two locks that serve as signals: each is taken by the one who waits and given back by the other one. The first answer
takes long, since its thread sleeps; then they pass the ball quickly."""
# expect: none

import threading
import time

ping, pong = threading.Lock(), threading.Lock()
ROUNDS = 200


def answer():
    time.sleep(2.2)
    for _ in range(ROUNDS):
        ping.acquire()
        pong.release()


if __name__ == "__main__":
    ping.acquire()
    pong.acquire()
    player = threading.Thread(target=answer)
    player.start()
    for _ in range(ROUNDS):
        ping.release()
        pong.acquire()
    player.join()
    print("game over", flush=True)
