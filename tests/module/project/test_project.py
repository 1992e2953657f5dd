"""Tests that pass, fail, have a finding and hang: run by test_plugin.py and by tests/wheel."""

import os
import threading
import time

import mpsan
import pytest


def test_passes():
    assert not mpsan.findings()


def test_option(flavour):
    assert flavour == "lemon"


def test_watched():
    """As often as it runs it says whether it is watched."""
    print("watched:", mpsan.active())


def test_fails():
    assert "words" == "other words"


def test_finding():
    """A child that is forked while a thread has the lock; it ends well."""
    lock, taken, done = threading.Lock(), threading.Event(), threading.Event()

    def own():
        with lock:
            taken.set()
            done.wait()

    owner = threading.Thread(target=own, name="owner")
    owner.start()
    taken.wait()
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    done.set()
    owner.join()


def test_hangs():
    """Two threads, two locks."""
    locks, ready = [threading.Lock(), threading.Lock()], threading.Barrier(2)

    def take(first, second):
        with first:
            ready.wait()
            with second:
                pass

    other = threading.Thread(target=take, args=locks, name="other")
    other.start()
    take(*reversed(locks))


@pytest.mark.timeout(2)
def test_slow():
    time.sleep(1000)
