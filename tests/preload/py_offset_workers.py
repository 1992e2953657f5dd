# An unbuffered file is opened before the fork; workers seek and read in it, and move each other's offset. They are held
# together by a barrier, so that all of them are there when the first one reads.
#
# expect: shared-file-offset warning
# frames: Reader.at
# pythons: all
import multiprocessing
import os
import tempfile


class Reader:
    def __init__(self, path):
        self.file = open(path, "rb", buffering=0)

    def at(self, place):
        self.file.seek(place)
        return self.file.read(8)


def work(reader, turn, barrier, first):
    for number in range(4):
        barrier.wait()
        if number == turn:
            assert len(reader.at(first + 8 * number)) == 8
    barrier.wait()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(os.urandom(4096))
    reader = Reader(file.name)
    os.unlink(file.name)
    barrier = context.Barrier(4)
    workers = [context.Process(target=work, args=(reader, turn, barrier, 64)) for turn in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
