"""A Condition is waited for with a limit of 20 seconds, and the only thread that would notify has ended."""
# expect: deadlock-cycle warning
# limit: gives up
# within: 13
# outside: nothing: how often it asked, and when its limit began

import threading


def notify_too_early(changed):
    with changed:
        changed.notify()


def main():
    changed = threading.Condition()
    thread = threading.Thread(target=notify_too_early, args=(changed,))
    thread.start()
    thread.join()
    with changed:
        changed.wait(20)


main()
