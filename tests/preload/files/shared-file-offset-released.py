"""Two workers seek under a lock and read under it, but let go of it between the two."""
# expect: shared-file-offset warning
# frames: read_at
import multiprocessing
import tempfile


def read_at(file, lock, place):
    with lock:
        file.seek(place)
    with lock:
        return len(file.read(8))


def work(file, lock, barrier, place):
    for number in range(4):
        barrier.wait()
        assert read_at(file, lock, place + number) == 8
    barrier.wait()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(bytes(4096))
        lock, barrier = context.Lock(), context.Barrier(2)
        workers = [context.Process(target=work, args=(file, lock, barrier, place)) for place in (64, 128)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    print([worker.exitcode for worker in workers])
