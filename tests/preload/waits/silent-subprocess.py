"""A thread waits for a program that sleeps and keeps a lock meanwhile, another one reads from such a program; the main
thread joins both, a third wants the lock."""
# expect: none

import subprocess
import threading

lock, taken = threading.Lock(), threading.Event()


def run_sleep():
    with lock:
        taken.set()
        subprocess.run(["sleep", "2.2"], check=True)


def run_echo():
    print(subprocess.run("sleep 2.2; echo read", shell=True, check=True, stdout=subprocess.PIPE, text=True).stdout,
          end="", flush=True)


def want_lock():
    taken.wait()
    with lock:
        pass


if __name__ == "__main__":
    threads = [threading.Thread(target=body) for body in (run_sleep, run_echo, want_lock)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("joined", flush=True)
