"""Parent and worker share a connection and a file, and have one lock from each request to its answer, and over all that
belongs to a seek. Most messages are not answered, and a second lock is taken meanwhile."""
# expect: none
# silent: shared-file-offset
# pythons: all
import multiprocessing
import socket
import tempfile

ROUNDS = 12


def serve(server):
    connection, _ = server.accept()
    for line in connection.makefile("rb"):
        if line.startswith(b"ask"):
            connection.sendall(b"%08d" % int(line[3:]))


def ask(connection, number, right):
    connection.sendmsg([b"ask", b"%d\n" % number])
    with right.get_lock():
        right.value += connection.recv(4) + connection.recv(4) == b"%08d" % number


def add_one(file):
    file.seek(0)
    number = int(file.read(8))
    file.seek(0)
    file.write(b"%08d" % (number + 1))


def use(connection, file, lock, barrier, right, first):
    for number in range(ROUNDS):
        barrier.wait()
        with lock:
            connection.sendall(b"measured %d\n" % number)
        barrier.wait()
        with lock:
            if number % 4 == 3:
                ask(connection, first + number, right)
            add_one(file)
    barrier.wait()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with socket.create_server(("127.0.0.1", 0)) as server:
        peer = context.Process(target=serve, args=(server,))
        peer.start()
        connection = socket.create_connection(server.getsockname())
    lock, barrier, right = context.RLock(), context.Barrier(2), context.Value("i", 0)
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(b"%08d" % 0)
        worker = context.Process(target=use, args=(connection, file, lock, barrier, right, 100))
        worker.start()
        use(connection, file, lock, barrier, right, 0)
        worker.join()
        print(right.value, file.seek(0), int(file.read(8)))
    connection.close()
    peer.join()
