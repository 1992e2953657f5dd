"""Workers that were told to stop, with tensors left that nobody wants: whoever could read them has let go of the queue or
of the pipe, or the worker itself has, by cancel_join_thread()."""
# expect: none
# silent: shm-sender-exited
# needs: torch
# prints: 256
# prints: 256
# prints: 256
# prints: 256

import time

import torch
import torch.multiprocessing as mp

torch.set_num_threads(1)
LEFT = 3  # by each worker


def put(queue, stop):
    for _ in range(LEFT + 1):
        queue.put(torch.ones(256))
    stop.wait()


def send(pipe, stop):
    for _ in range(LEFT + 1):
        pipe.send(torch.ones(256))
    stop.wait()


def put_and_let_go(queue, stop):
    put(queue, stop)
    queue.cancel_join_thread()


def stop_worker(worker, stop):
    stop.set()
    worker.join()


def start(target, *arguments):
    stop = context.Event()
    worker = context.Process(target=target, args=(*arguments, stop))
    worker.start()
    return worker, stop


def drop_queue(queue):
    worker, stop = start(put, queue)
    print(int(queue.get().sum()))
    stop_worker(worker, stop)


def close_pipe():
    reader, writer = context.Pipe(duplex=False)
    worker, stop = start(send, writer)
    print(int(reader.recv().sum()))
    reader.close()
    stop_worker(worker, stop)


if __name__ == "__main__":
    context = mp.get_context("fork")
    drop_queue(context.Queue())
    drop_queue(context.SimpleQueue())
    close_pipe()
    kept = context.Queue()
    worker, stop = start(put_and_let_go, kept)
    print(int(kept.get().sum()))
    stop_worker(worker, stop)
    time.sleep(3)  # longer than a parent's end that would explain it
