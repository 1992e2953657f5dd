#!/usr/bin/env python3
"""Runs inside the session of test_ipc_model.py: ipc_driver.py SEED COUNT TRACE. Four workers (ipc_worker.c) make,
export, open, close and free memory as chance has it, leave or are killed, and come anew. TRACE receives what
really happened, one JSON object a line."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import program  # noqa: E402

WORKERS = 4
# A consumer that ends within a second of its producer ends together with it, and when exactly a process was killed is
# known to half a second. Nothing happens to memory while such a lapse is near its end, or a kill near what it might be
# mistaken for: then no clock need be trusted to a hair.
NEAR, FAR = 0.5, 1.7
KNOWN = 0.8
CHANCES = {"allocate": 16, "export": 16, "open": 26, "close": 22, "free": 9, "forward": 2, "again": 2, "own": 2,
           "late": 1, "leave": 0.8, "kill": 0.8, "rest": 0.1}


class Worker:
    def __init__(self):
        self.process = subprocess.Popen([program("ipc_worker")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "0\n", "it cannot use the device"

    def order(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        result, *rest = self.process.stdout.readline().split()
        return int(result), *rest

    def end(self, kill):
        if kill:
            self.process.kill()
        self.process.stdin.close()
        status = self.process.wait()
        assert status == (-9 if kill else 0), f"a worker ended with {status}"
        self.process.stdout.close()


class Piece:
    """Memory of a worker, and who has it open."""

    def __init__(self, owner, number):
        self.owner, self.number = owner, number
        self.handle = None
        self.freed = self.orphaned = self.lost = None  # when: by its owner, with its owner, a consumer that was killed
        self.users = ()  # who had it open when it ended
        self.opens = {}  # worker: numbers of the lines that opened it; the driver counts them


class Driver:
    def __init__(self, seed, count, trace):
        self.random = random.Random(seed)
        self.count, self.trace, self.number = count, trace, 0
        self.workers = [Worker() for _ in range(WORKERS)]
        self.pieces, self.ended = [], []

    def run(self):
        while self.number < self.count:
            verb, = self.random.choices(list(CHANCES), CHANCES.values())
            getattr(self, verb)()
        for worker in list(self.workers):
            self.end(worker, kill=False, again=False)

    def note(self, verb, worker, **facts):
        facts = {"number": self.number, "verb": verb, "pid": worker.pid, "time": time.monotonic(), **facts}
        self.trace.write(json.dumps(facts) + "\n")
        self.number += 1

    def pick(self, among):
        return self.random.choice(among) if among else None

    @staticmethod
    def stay_clear(then, near=NEAR, far=FAR):
        """Not between these two lapses after then."""
        if then is not None and near < time.monotonic() - then < far:
            time.sleep(then + far - time.monotonic())

    # What may happen. Nothing does where there is nothing to do it to.

    def allocate(self):
        worker, number = self.pick(self.workers), self.number
        size = 512 * (number + 1)  # tells it from all others
        result, = worker.order(number, "allocate", number, size)
        assert result == 0, f"allocation: {result}"
        self.pieces.append(Piece(worker, number))
        self.note("allocate", worker, piece=number, bytes=size)

    def export(self):
        piece = self.pick(self.pieces)
        if piece:
            result, handle = piece.owner.order(self.number, "export", piece.number)
            assert result == 0 and piece.handle in (None, handle), f"export: {result} {handle}, {piece.handle}"
            piece.handle = handle
            self.note("export", piece.owner, piece=piece.number)

    def open_in(self, piece, worker):
        result, = worker.order(self.number, "open", self.number, piece.handle)
        if result == 0:
            piece.opens.setdefault(worker, []).append(self.number)
        self.note("open", worker, piece=piece.number, result=result)

    def open(self):
        piece = self.pick([piece for piece in self.pieces if piece.handle and len(piece.opens) < WORKERS - 1])
        if piece:
            self.open_in(piece, self.pick([worker for worker in self.workers
                                           if worker is not piece.owner and worker not in piece.opens]))

    def own(self):
        piece = self.pick([piece for piece in self.pieces if piece.handle])
        if piece:
            self.open_in(piece, piece.owner)

    def again(self):
        piece = self.pick([piece for piece in self.pieces if piece.opens])
        if piece:
            self.open_in(piece, self.pick(list(piece.opens)))

    def late(self):
        piece = self.pick([piece for piece in self.ended if piece.handle])
        worker = self.pick([worker for worker in self.workers if not piece or worker not in piece.opens])
        if piece and worker and worker is not piece.owner:
            self.stay_clear(piece.orphaned, 0, FAR)
            self.open_in(piece, worker)
            assert worker not in piece.opens, "memory that is gone was opened"

    def opened(self):
        return [piece for piece in self.pieces + self.ended if piece.opens]

    def close(self):
        piece = self.pick(self.opened())
        if piece:
            worker = self.pick(list(piece.opens))
            self.stay_clear(piece.orphaned)
            result, = worker.order(self.number, "close", piece.opens[worker].pop())
            assert result == 0, f"close: {result}"
            if not piece.opens[worker]:
                del piece.opens[worker]
            self.note("close", worker, piece=piece.number)

    def forward(self):
        piece = self.pick([piece for piece in self.pieces if piece.opens])
        if piece:
            worker = self.pick(list(piece.opens))
            worker.order(self.number, "forward", piece.opens[worker][0])
            self.note("forward", worker, piece=piece.number)

    def free(self):
        piece = self.pick(self.pieces)
        if piece:
            self.stay_clear(piece.lost)
            result, = piece.owner.order(self.number, "free", piece.number)
            assert result == 0, f"free: {result}"
            piece.freed, piece.users = time.monotonic(), set(piece.opens)
            self.pieces.remove(piece)
            self.ended.append(piece)
            self.note("free", piece.owner, piece=piece.number)

    def end(self, worker, kill, again=True):
        for piece in self.pieces + self.ended:
            if worker in piece.opens:
                self.stay_clear(piece.orphaned)
            if kill and worker in piece.users:
                self.stay_clear(piece.freed or piece.orphaned, 0, KNOWN)
            if worker is piece.owner:
                self.stay_clear(piece.lost)
        worker.end(kill)
        self.bury(worker, kill, time.monotonic())
        self.note("kill" if kill else "leave", worker)
        self.workers.remove(worker)
        if again:
            self.workers.append(Worker())

    def bury(self, worker, kill, now):
        for piece in self.pieces + self.ended:
            if piece.opens.pop(worker, None) and kill:
                piece.lost = now
        for piece in [piece for piece in self.pieces if piece.owner is worker]:
            piece.orphaned, piece.users = now, set(piece.opens)
            self.pieces.remove(piece)
            self.ended.append(piece)

    def leave(self):
        self.end(self.pick(self.workers), kill=False)

    def kill(self):
        self.end(self.pick(self.workers), kill=True)

    def rest(self):
        """Long enough that what was left by the dead counts as left. Seldom: it takes its time."""
        if any(piece.orphaned and piece.opens or piece.lost for piece in self.pieces + self.ended):
            time.sleep(FAR)


if __name__ == "__main__":
    with open(sys.argv[3], "w") as file:
        Driver(int(sys.argv[1]), int(sys.argv[2]), file).run()
