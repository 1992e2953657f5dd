"""As above with a SimpleQueue, and a worker that crashes with SIGSEGV."""
# expect: worker-failed error
# or: deadlock-cycle error
# says: SIGSEGV
# within: 8

import ctypes
import multiprocessing
import resource


def crash(results):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    results.put(ctypes.string_at(0))


def main():
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    context.Process(target=crash, args=(results,)).start()
    print(results.get())


if __name__ == "__main__":
    main()
