"""A thread that nobody waits for dies of an exception."""
# expect: none
# note: thread-died
# says: ended by ZeroDivisionError('division by zero') at work (thread-died-note.py:9)
import threading


def work():
    return 1 / 0


thread = threading.Thread(target=work)
thread.start()
thread.join()
print("done")
