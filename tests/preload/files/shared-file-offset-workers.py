# An unbuffered file is opened before the fork; workers seek and read in it, and move each other's offset. They are held
# together by a barrier, so that all of them are there when the first one reads.
#
# expect: shared-file-offset warning
# frames: read_at
# pythons: all
import multiprocessing
import os
import tempfile


def read_at(file, place):
    file.seek(place)
    return file.read(8)


def work(file, turn, barrier, first):
    for number in range(4):
        barrier.wait()
        if number == turn:
            assert len(read_at(file, first + 8 * number)) == 8
    barrier.wait()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with tempfile.NamedTemporaryFile(delete=False) as made:
        made.write(os.urandom(4096))
    opened = open(made.name, "rb", buffering=0)
    os.unlink(made.name)
    barrier = context.Barrier(4)
    workers = [context.Process(target=work, args=(opened, turn, barrier, 64)) for turn in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
