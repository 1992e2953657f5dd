"""What must be found in a run of ipc_driver.py, from the trace of what happened and from what the rules say of
themselves in include/mpsan_rules.def. Knows nothing of how mpsan finds it.

A finding is (rule, severity, steps): a step is the number of the line that did it, or None for the end of a process,
beside the process it belongs to."""

from collections import Counter

GRADES = {"note": 0, "either": 0, "warning": 1, "error": 2}
GRACE = 1.0  # seconds after the end of a process in which others may end with it


class Piece:
    def __init__(self, owner, size):
        self.owner, self.size = owner, size
        self.exported = self.born = None  # the first export: its line and time
        self.freed = None
        self.tried = []  # times of opens, also of those that failed
        self.uses = []


class Use:
    """One open that succeeded."""

    def __init__(self, piece, pid, line, time):
        self.piece, self.pid, self.line, self.time = piece, pid, line, time
        self.closed = None

    def is_open(self, time, ends):
        end = ends.get(self.pid)
        return (self.closed is None or self.closed > time) and (end is None or end[0] > time)

    def gone(self, ends, over):
        """When it was over, by call or by the end of its process."""
        return min([time for time in (self.closed, ends.get(self.pid, (None,))[0]) if time is not None] or [over])


class Model:
    def __init__(self, trace):
        self.trace = trace
        self.pieces = {}
        self.ends = {}  # pid: (time, killed)
        self.found = []
        self.over = trace[-1]["time"]
        for event in trace:
            if event["verb"] in ("leave", "kill"):
                self.ends[event["pid"]] = event["time"], event["verb"] == "kill"

    def predict(self):
        for event in self.trace:
            getattr(self, event["verb"])(event)
        for pid in self.ends:
            self.judge_end(pid)
        return Counter(self.worst())

    def sizes(self):
        """Bytes of what was exported first by a line."""
        return {piece.exported: piece.size for piece in self.pieces.values()}

    def say(self, time, rule, severity, piece, *steps):
        self.found.append((time, piece, (rule, severity, ((piece.owner, piece.exported), *steps))))

    def worst(self):
        """The findings, without the one about the same memory that a worse one of the same rule replaces."""
        worst, kept = {}, []
        for _, piece, finding in sorted(self.found, key=lambda found: found[0]):
            kept.append(finding)
            known = worst.setdefault((finding[0], piece), finding)
            if GRADES[finding[1]] > GRADES[known[1]]:
                kept.remove(known)
                worst[finding[0], piece] = finding
        return kept

    # While it runs

    def allocate(self, event):
        self.pieces[event["piece"]] = Piece(event["pid"], event["bytes"])

    def export(self, event):
        piece = self.pieces[event["piece"]]
        if piece.exported is None:
            piece.exported, piece.born = event["number"], event["time"]

    def open(self, event):
        piece, pid, here = self.pieces[event["piece"]], event["pid"], (event["pid"], event["number"])
        users = [use for use in piece.uses if use.pid == pid and use.is_open(event["time"], self.ends)]
        succeeded = event["result"] == 0
        piece.tried.append(event["time"])
        if pid == piece.owner:
            self.say(event["time"], "ipc-self-open", "warning" if succeeded else "error", piece, here)
        elif piece.freed:
            assert not succeeded
            self.say(event["time"], "ipc-freed-while-open", "error", piece, piece.freed[1], here)
        elif piece.owner in self.ends and self.ends[piece.owner][0] < event["time"]:
            assert not succeeded
            self.say(event["time"], "ipc-producer-exited", "error", piece, here)
        elif users:
            self.say(event["time"], "ipc-double-open", "warning" if succeeded else "error", piece,
                     (pid, users[-1].line), here)
        if succeeded:
            piece.uses.append(Use(piece, pid, event["number"], event["time"]))

    def close(self, event):
        piece = self.pieces[event["piece"]]
        use = [use for use in piece.uses if use.pid == event["pid"] and use.closed is None][-1]
        use.closed = event["time"]

    def forward(self, event):
        piece = self.pieces[event["piece"]]
        use = [use for use in piece.uses if use.pid == event["pid"]][-1]
        self.say(event["time"], "ipc-reexported", "error", piece, (use.pid, use.line), (event["pid"], event["number"]))

    def free(self, event):
        piece, here = self.pieces[event["piece"]], (event["pid"], event["number"])
        piece.freed = event["time"], here
        users = self.users(piece, event["time"])
        if users:
            self.say(event["time"], "ipc-freed-while-open", "error", piece, *users, here)
        elif piece.exported is not None and not piece.tried:
            self.say(event["time"], "ipc-freed-while-open", "warning", piece, here)

    def leave(self, event):
        pass

    kill = leave

    # Afterwards: what a process left behind

    def users(self, piece, time):
        """Who has it open, and by which line last."""
        newest = {use.pid: use.line for use in piece.uses
                  if use.pid != piece.owner and use.time <= time and use.is_open(time, self.ends)}
        return sorted(newest.items())

    def judge_end(self, pid):
        time, killed = self.ends[pid]
        for piece in self.pieces.values():
            if piece.owner == pid and not piece.freed and piece.exported is not None:
                self.judge_owner(piece, time)
            if not (piece.freed and piece.freed[0] < time):
                self.judge_uses(piece, pid, time, killed)

    def judge_owner(self, piece, time):
        users = self.users(piece, time)
        if users:
            late = any(use.gone(self.ends, self.over) >= time + GRACE for use in piece.uses
                       if use.pid != piece.owner and use.is_open(time, self.ends))
            self.say(time + GRACE, "ipc-producer-exited", "error" if late else "warning", piece, *users,
                     (piece.owner, None))
        if not any(tried <= time for tried in piece.tried):
            self.say(time + GRACE, "ipc-never-opened", self.age(time - piece.born), piece)

    @staticmethod
    def age(seconds):
        """Advice for what was just under way; when a process was killed is not known to a hair."""
        return "either" if abs(seconds - GRACE) < 0.6 else "note" if seconds < GRACE else "warning"

    def judge_uses(self, piece, pid, time, killed):
        """However often a process has a piece open, it leaves it once."""
        left = [use.line for use in piece.uses if use.pid == pid and use.closed is None]
        owner_end = self.ends.get(piece.owner, (self.over, False))[0]
        if not left or pid == piece.owner or owner_end < time:
            return
        if not killed:
            self.say(time + GRACE, "ipc-not-closed", "warning", piece, (pid, left[0]), (pid, None))
        elif not (piece.freed and piece.freed[0] < time + GRACE):
            self.say(time + GRACE, "ipc-consumer-killed", "warning", piece, (pid, left[0]), (pid, None))
