"""Idle threads in Queue.get, Event.wait, Condition.wait and sleep at the fork. They seem to hold the semaphores
on which they wait to be woken; the child works, uses the same objects, and lives on."""
# expect: none
# pythons: all

import multiprocessing
import queue
import threading
import time

tasks = queue.Queue()
event = threading.Event()
condition = threading.Condition()
in_wait = threading.Semaphore(0)


def wait_for_condition():
    with condition:
        in_wait.release()
        condition.wait()


def idle_in(wait, *arguments):
    in_wait.release()
    wait(*arguments)


def child_works():
    tasks.put("mine")
    event.set()
    with condition:
        condition.notify_all()
    time.sleep(1.3)  # longer than a child may live beside a held lock
    print("child worked", flush=True)


def start_idle_threads():
    waits = [(idle_in, tasks.get), (idle_in, event.wait), (idle_in, time.sleep, 3600), (wait_for_condition,)]
    for target, *arguments in waits * 2:
        threading.Thread(target=target, args=arguments, daemon=True).start()
    for _ in waits * 2:
        in_wait.acquire()
    for lock in (tasks.not_empty, condition):
        with lock:  # to be had only when its waiters wait
            pass


if __name__ == "__main__":
    start_idle_threads()
    process = multiprocessing.get_context("fork").Process(target=child_works)
    process.start()
    process.join()
