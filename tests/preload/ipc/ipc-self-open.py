"""In Python: put and get on one queue in the same process."""
# expect: ipc-self-open error
# may: ipc-never-opened warning
# fake: cuda
# frames: get_back

from queue import SimpleQueue

from cuda_calls import Runtime, result_of

runtime = Runtime()
queue = SimpleQueue()


def get_back():
    return result_of(runtime.open, queue.get())


if __name__ == "__main__":
    memory = runtime.allocate(4096)
    queue.put(runtime.export(memory))
    print(get_back() != 0)
    runtime.free(memory)
