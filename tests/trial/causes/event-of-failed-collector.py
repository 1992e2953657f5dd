"""A thread that was to set the main thread's event dies, while the worker that it collects from waits for more work."""
# expect: thread-died warning
# outside: nothing: what was raised before
# says: ^thread "collector" .*ended by KeyError\('result'\) at collect \(event-of-failed-collector.py:16\), and the main thread
# within: 20
import multiprocessing
import threading


def work(tasks, results):
    for task in iter(tasks.get, None):
        results.put({"task": task})


def collect(results, finished):
    print(results.get()["result"])
    finished.set()


def main():
    tasks, results = multiprocessing.Queue(), multiprocessing.Queue()
    finished = threading.Event()
    worker = multiprocessing.Process(target=work, args=(tasks, results), daemon=True)
    worker.start()
    threading.Thread(target=collect, args=(results, finished), name="collector").start()
    tasks.put(1)
    finished.wait()


if __name__ == "__main__":
    main()
