"""signal.pause() until an alarm comes, several times: a clock."""
# expect: none

import signal


def ring(number, frame):
    print("ring")


signal.signal(signal.SIGALRM, ring)
for _ in range(3):
    signal.alarm(2)
    signal.pause()
