"""The main thread raises before it sends the sentinel, and multiprocessing joins the worker at the end."""
# expect: missing-sentinel error
# may: child-not-joined warning
# says: ended by OSError.* at load \(main-before-sentinel.py:16\)
# within: 20

import multiprocessing


def work(items):
    while items.get() is not None:
        pass


def load(name):
    raise OSError(5, "Input/output error")


def main():
    context = multiprocessing.get_context("fork")
    items = context.Queue()
    context.Process(target=work, args=(items,)).start()
    items.put(load("x"))
    items.put(None)


if __name__ == "__main__":
    main()
