"""A program on a terminal of its own: a pty, and as much of an xterm as ncurses needs to draw on. An escape
sequence that it does not know fails the test: then the screen would not be what a person sees.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata

from mpsantest import SLOW

SEQUENCE = re.compile(r"\x1b(?:\[(?P<mark>[?>]?)(?P<numbers>[\d;]*)(?P<what>[A-Za-z@`])|\](?P<title>[^\x07]*)\x07|[()][A-Z0-9]|[=>78]|(?P<up>M))")
IGNORED = "mhltn"  # attributes, modes and questions


def width_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    """What stands where."""

    def __init__(self, height, width):
        self.height, self.width = height, width
        self.rows = [[" "] * width for _ in range(height)]
        self.y = self.x = 0
        self.rest, self.last, self.modes = "", " ", {}
        self.region = 0, height  # of the rows that scroll

    def lines(self):
        return ["".join(row).rstrip() for row in self.rows]

    def feed(self, text):
        text = self.rest + text
        self.rest, at = "", 0
        while at < len(text):
            if text[at] != "\x1b":
                self.put(text[at])
                at += 1
                continue
            match = SEQUENCE.match(text, at)
            if not match:
                assert len(text) - at < 64, f"unknown escape sequence: {text[at:at + 20]!r}"
                self.rest = text[at:]
                return
            self.obey(match)
            at = match.end()

    def put(self, character):
        if character == "\r":
            self.x = 0
        elif character == "\n":
            self.down()
        elif character == "\b":
            self.x = max(self.x - 1, 0)
        elif character == "\t":
            self.x = min((self.x // 8 + 1) * 8, self.width - 1)
        elif character not in "\x0f\x0e\x07":
            assert character >= " " and not "\x7f" <= character < "\xa0", f"drew {character!r}"
            self.draw(character)

    def draw(self, character):
        width = width_of(character)
        if self.x + width > self.width:
            self.x = 0
            self.down()
        if width:
            self.rows[self.y][self.x:self.x + width] = [character] + [""] * (width - 1)
        self.x += width
        self.last = character

    def blank(self, rows):
        return [[" "] * self.width for _ in range(rows)]

    def down(self):
        top, bottom = self.region
        if self.y == bottom - 1:
            self.rows[top:bottom] = self.rows[top + 1:bottom] + self.blank(1)
        else:
            self.y = min(self.y + 1, self.height - 1)

    def up(self):
        top, bottom = self.region
        if self.y == top:
            self.rows[top:bottom] = self.blank(1) + self.rows[top:bottom - 1]
        else:
            self.y = max(self.y - 1, 0)

    def obey(self, match):
        what = match["what"]
        self.x = min(self.x, self.width - 1)
        if match["up"]:
            self.up()
        if not what or (what in IGNORED and not match["mark"]):
            return
        given = [int(number) if number else 0 for number in (match["numbers"] or "").split(";")]
        if match["mark"]:
            assert what in "hlcm", match[0]
            self.modes.update({number: what == "h" for number in given})
            return
        self.move(what, given, max(given[0], 1), match[0])

    def move(self, what, given, count, sequence):
        row = self.rows[self.y]
        if what in "Hf":
            self.y, self.x = count - 1, max(given[1] if len(given) > 1 else 1, 1) - 1
        elif what in "ABCD":
            self.y += {"A": -count, "B": count}.get(what, 0)
            self.x += {"D": -count, "C": count}.get(what, 0)
        elif what == "G":
            self.x = count - 1
        elif what == "d":
            self.y = count - 1
        elif what == "J":
            first = 0 if given[0] == 2 else self.y + 1
            self.rows[first:] = self.blank(self.height - first)
            if given[0] == 0:
                row[self.x:] = [" "] * (self.width - self.x)
        elif what == "K":
            start, end = (0, self.x + 1) if given[0] == 1 else (self.x, self.width)
            row[start:end] = [" "] * (end - start)
        elif what == "X":
            row[self.x:self.x + count] = [" "] * min(count, self.width - self.x)
        elif what == "P":
            row[:] = (row[:self.x] + row[self.x + count:] + [" "] * self.width)[:self.width]
        elif what == "@":
            row[:] = (row[:self.x] + [" "] * count + row[self.x:])[:self.width]
        elif what in "LM":
            bottom = self.region[1]
            moved = self.blank(count) + self.rows[self.y:] if what == "L" else self.rows[self.y + count:bottom] + self.blank(count)
            self.rows[self.y:bottom] = moved[:bottom - self.y]
        elif what == "r":
            self.region = count - 1, given[1] if len(given) > 1 else self.height
            self.y = self.x = 0
        elif what == "b":
            for _ in range(count):
                self.draw(self.last)
        else:
            raise AssertionError(f"unknown escape sequence: {sequence!r}")
        assert 0 <= self.y < self.height and 0 <= self.x <= self.width, f"off the screen: {sequence!r}"


class Terminal:
    """A program on a terminal. `raw` is all that it wrote, `screen` what can be seen now."""

    def __init__(self, command, height=30, width=100, stderr=None, **environment):
        self.master, slave = pty.openpty()
        self.before = termios.tcgetattr(slave)
        self.slave, self.raw = slave, b""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.screen = Screen(height, width)
        self.resize(height, width)
        env = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}
        env.pop("NO_COLOR", None) if "NO_COLOR" not in environment else None
        self.process = subprocess.Popen([str(word) for word in command], env=env, stdin=slave, stdout=slave,
                                        stderr=slave if stderr is None else stderr, preexec_fn=self.own_terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.slave)
        if self.master is not None:
            os.close(self.master)

    def own_terminal(self):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, height, width):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        if (height, width) != (self.screen.height, self.screen.width):
            self.screen = Screen(height, width)
            os.kill(self.process.pid, signal.SIGWINCH)

    def keys(self, text):
        os.write(self.master, text.encode())

    def read(self, seconds):
        """Takes what is written within that time; False: nothing."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        piece = os.read(self.master, 65536)
        self.raw += piece
        self.screen.feed(self.decoder.decode(piece))
        return True

    def until(self, condition, patience=20):
        """The lines of the first screen of which the condition is true, or that has the text."""
        wanted = condition if callable(condition) else lambda lines: any(condition in line for line in lines)
        end = time.monotonic() + patience * SLOW
        while True:
            lines = self.screen.lines()
            if wanted(lines):
                return lines
            left = end - time.monotonic()
            assert left > 0, f"not within {patience} s: {condition}\n" + "\n".join(lines)
            self.read(min(left, 0.2))

    def end(self, patience=10):
        """The exit status, with everything read."""
        end = time.monotonic() + patience * SLOW
        while self.process.poll() is None:
            assert time.monotonic() < end, "it does not end\n" + "\n".join(self.screen.lines())
            self.read(0.05)
        while self.read(0):
            pass
        return self.process.returncode
