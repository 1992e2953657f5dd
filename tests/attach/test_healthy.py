#!/usr/bin/env python3
"""mpsan attach on healthy programs, at work and idle: no error, no warning, exit status 0. All are looked at together."""
# cases
# limit: 300

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import MPSAN, kill_group, main, need_module, system_python  # noqa: E402

LOOKS = 20 if os.environ.get("MPSAN_FULL") else 1

# Each calls ready() when it is at work, or has begun to wait for work.
PROGRAMS = {
    "sleeper": """
ready()
time.sleep(1000)
""",
    "prefork server": """
server = socket.create_server(("127.0.0.1", 0))
def serve():
    while True:
        connection, _ = server.accept()
        connection.send(connection.recv(100))
        connection.close()
for _ in range(3):
    if os.fork() == 0:
        serve()
if os.fork() == 0:
    while True:
        with socket.create_connection(server.getsockname()) as client:
            client.send(b"hello")
            client.recv(100)
        time.sleep(0.05)
ready()
while True:
    os.wait()
""",
    "idle prefork server": """
server = socket.create_server(("127.0.0.1", 0))
for _ in range(3):
    if os.fork() == 0:
        while True:
            server.accept()
ready()
while True:
    os.wait()
""",
    "server with threads": """
import http.server, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.02)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
def ask():
    while True:
        urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/").read()
        ready()
threading.Thread(target=ask, daemon=True).start()
server.serve_forever()
""",
    "asyncio server": """
import asyncio
async def serve(reader, writer):
    writer.write(await reader.read(10))
    await writer.drain()
    writer.close()
async def ask(port):
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello")
        await reader.read(10)
        writer.close()
        await asyncio.sleep(0.03)
async def run():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    task = asyncio.create_task(ask(server.sockets[0].getsockname()[1]))
    ready()
    await server.serve_forever()
asyncio.run(run())
""",
    "pool at work": """
def work(number):
    time.sleep(0.01)
with multiprocessing.Pool(2) as pool:
    while True:
        pool.map(work, range(20))
        ready()
""",
    "idle pools": """
import concurrent.futures
with multiprocessing.Pool(2) as pool, concurrent.futures.ProcessPoolExecutor(2) as executor:
    pool.map(abs, range(20))
    list(executor.map(abs, range(20)))
    ready()
    time.sleep(1000)
""",
    "idle consumers": """
def consume(tasks):
    while True:
        tasks.get()
tasks = multiprocessing.Queue()
for _ in range(2):
    multiprocessing.Process(target=consume, args=(tasks,)).start()
tasks.put("a task")
ready()
signal.pause()
""",
}

TORCH_PROGRAMS = {
    "DataLoader": """
import torch, torch.utils.data
class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, index):
        time.sleep(0.004)
        return torch.ones(10) * index
while True:
    for batch in torch.utils.data.DataLoader(Samples(), batch_size=2, num_workers=2):
        ready()
""",
    "training": """
import torch, torch.distributed
def train(rank):
    torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}.store", rank=rank, world_size=2)
    while True:
        torch.distributed.all_reduce(torch.ones(100))
        if rank == 0:
            ready()
        time.sleep(0.05)
ranks = [multiprocessing.Process(target=train, args=(rank,)) for rank in range(2)]
for rank in ranks:
    rank.start()
for rank in ranks:
    rank.join()
""",
    "training with a slow rank": """
import torch, torch.distributed
def train(rank):
    torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[1]}.store", rank=rank, world_size=2)
    while True:
        torch.distributed.all_reduce(torch.ones(100))
        if rank == 0:
            ready()
            time.sleep(4)
ranks = [multiprocessing.Process(target=train, args=(rank,)) for rank in range(2)]
for rank in ranks:
    rank.start()
for rank in ranks:
    rank.join()
""",
}

HEAD = """
import multiprocessing, os, signal, socket, sys, threading, time
def ready():
    open(sys.argv[1], "w").close()
"""


def examine(name, source):
    """What is wrong with the answers; the time limit of tests ends a program that never begins to work."""
    with tempfile.TemporaryDirectory(prefix="mpsan-test-") as place:
        mark = Path(place, "ready")
        program = subprocess.Popen([system_python(), "-c", HEAD + source, mark], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, cwd=place)
        try:
            while not mark.exists():
                assert program.poll() is None, f"{name} has ended"
                time.sleep(0.05)
            return [wrong for _ in range(LOOKS) for wrong in look(name, program.pid)]
        finally:
            kill_group(program.pid)
            program.wait()


def look(name, pid):
    run = subprocess.run([MPSAN, "attach", "--no-conf", "--report", "json=-", str(pid)], capture_output=True, text=True)
    if run.returncode:
        yield f"{name}: exit {run.returncode}: {run.stderr}"
    for finding in json.loads(run.stdout)["findings"] if run.stdout else ():
        if finding["severity"] != "note":
            yield f"{name}: {finding['severity']}: {finding['rule']}: {finding['message']}"


def check(programs):
    with concurrent.futures.ThreadPoolExecutor(len(programs)) as pool:
        wrong = [line for lines in pool.map(examine, programs, programs.values()) for line in lines]
    assert not wrong, "\n".join(wrong)


def check_torch():
    need_module(system_python(), "torch")
    check(TORCH_PROGRAMS)


main({"programs": lambda: check(PROGRAMS), "torch": check_torch})
