"""A connection is shut down before it is closed, which wakes the thread that receives."""
# expect: none
# options: --hang-after 2

import socket
import threading
import time


def main():
    here, there = socket.socketpair()
    reader = threading.Thread(target=here.recv, args=(10,))
    reader.start()
    time.sleep(3)
    here.shutdown(socket.SHUT_RDWR)
    here.close()
    reader.join()
    there.close()


main()
