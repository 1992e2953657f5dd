"""The main thread of each process waits for a thing that a ticking thread, with nothing of it on its stack, signals at last."""
# expect: none

import functools
import gc
import os
import queue
import signal
import sys
import threading
import time
import types
import weakref

TICKS = 5
registry, hooks, names, given = {}, [], types.SimpleNamespace(), []


class Slots:
    __slots__ = ("thing",)

    def __init__(self, thing):
        self.thing = thing

    def send(self):
        send(self.thing)


class Named:
    pass


def send(thing):
    if isinstance(thing, threading.Condition):
        with thing:
            thing.notify()
    elif isinstance(thing, threading.Semaphore):
        thing.release()
    else:
        thing.put(1)


def wait(thing):
    if isinstance(thing, threading.Condition):
        with thing:
            thing.wait()
    elif isinstance(thing, threading.Semaphore):
        thing.acquire()
    else:
        thing.get()


def tick(then):
    for _ in range(TICKS):
        time.sleep(0.7)
    then()


def ticker(then):
    threading.Thread(target=tick, args=(then,), daemon=True).start()


def send_late(thing):
    tick(lambda: None)
    send(thing)


def by_argument(thing):
    threading.Thread(target=send_late, args=(thing,), daemon=True).start()


def by_stack(thing):
    """The caller's frame has the reference, and lends it."""
    given.append(thing)
    threading.Thread(target=lambda: (lambda own: send_late(own))(given.pop()), daemon=True).start()


class Found(queue.Queue):
    pass


def by_collector(thing):
    ticker(lambda: [send(each) for each in gc.get_objects() if each is not None and type(each) is Found])


def by_weakref(thing):
    reference = weakref.ref(thing)
    ticker(lambda: send(reference()))


def by_global(thing):
    registry["thing"] = thing
    ticker(lambda: send(registry["thing"]))


def by_closure(thing):
    ticker(lambda: send(thing))


def by_method(thing):
    ticker(Slots(thing).send)


def by_callback(thing):
    hooks.append(functools.partial(send, thing))
    ticker(lambda: [hook() for hook in hooks])


def by_attribute(thing):
    setattr(names, "the" + "thing", thing)
    ticker(lambda: send(getattr(names, "the" + "thing")))


def by_module(thing):
    sys.modules["out.of.sight"] = thing
    ticker(lambda: send(sys.modules[".".join(("out", "of", "sight"))]))


def by_weak_owner(thing):
    owner = Named()
    owner.thing = thing
    reference = weakref.ref(owner)
    ticker(lambda: send(reference().thing))
    return owner


def by_thread(thing):
    thread = threading.Thread(target=time.sleep, args=(600,), daemon=True)
    thread.thing = thing
    thread.start()
    ticker(lambda: [send(other.thing) for other in threading.enumerate() if hasattr(other, "thing")])


class Ended(Named):
    def __del__(self):
        send(self.thing)


def by_garbage(thing):
    """The collector, which runs in any thread, ends the last owner."""
    owner = Ended()
    owner.itself, owner.thing = owner, thing
    ticker(lambda: [[] for _ in range(10000)])


def run(way, kind):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if way is not by_collector:
        del sys.modules["gc"]  # or nothing would be examined
    earlier = threading.Thread(target=str)
    earlier.start()
    earlier.join()
    thing = kind()
    kept = way(thing)
    wait(thing)
    del kept


def main():
    ways = [way for name, way in globals().items() if name.startswith("by_")]
    plays = [(way, Found) for way in ways]
    plays += [(by_closure, threading.Condition), (by_global, functools.partial(threading.Semaphore, 0))]
    for play in plays:
        if os.fork() == 0:
            run(*play)
            os._exit(0)
    for _ in plays:
        assert os.wait()[1] == 0


main()
