"""The first use of a lock: the same thread enters its with block twice, while another one sleeps."""
# expect: self-deadlock error
# within: 8

import threading
import time


class Log:
    def __init__(self):
        self.lock, self.lines = threading.Lock(), []

    def write(self, line):
        with self.lock:
            if len(self.lines) == 0:
                self.write_header()
            self.lines.append(line)

    def write_header(self):
        with self.lock:
            self.lines.append("time, value")


def main():
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    Log().write("1, 2")


main()
