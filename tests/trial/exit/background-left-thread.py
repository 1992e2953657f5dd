"""Started in the background, with SIGINT ignored: the main thread has ended without a word to a thread that is not daemonic."""
# expect: deadlock-cycle error
# within: 6

import queue
import signal
import threading

signal.signal(signal.SIGINT, signal.SIG_IGN)
threading.Thread(target=queue.Queue().get, name="consumer").start()
