"""The parent waits for a multiprocessing.Event that its child would have set, had it not ended with an error."""
# expect: worker-failed error
# or: deadlock-cycle error
# within: 8

import multiprocessing


def warm_up(ready):
    if not hasattr(ready, "missing"):
        raise SystemExit(3)
    ready.set()


def main():
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    context.Process(target=warm_up, args=(ready,)).start()
    ready.wait()
    print("warm")


if __name__ == "__main__":
    main()
