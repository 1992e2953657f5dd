#!/usr/bin/env python3
"""The page of --report html, read without a browser: one well-formed document that holds its data, reaches for nothing,
and in which the names that a program chose are text. tests/browser looks at what it shows."""
# cases

import json
import re
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / place) for place in ("lib", "browser", "hosts")]

import reports  # noqa: E402
import sessions  # noqa: E402
from mpsantest import MPSAN, ROOT, main, run_bare, system_python  # noqa: E402

VOID = {"meta", "input", "br", "link", "img"}
ADDRESS = re.compile(r"""\b(?:src|href|action|poster)\s*=|url\(|@import|https?:|\bfetch\(|XMLHttpRequest|WebSocket|import\(""")


class Reader(HTMLParser):
    """Elements with their nesting checked, and what stands in the script elements."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.scripts, self.texts, self.wrong = [], [], [], {}, []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append([dict(attributes), ""])

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += text
        elif self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + text


def read_page(file):
    text = Path(file).read_bytes().decode("utf-8")
    page = Reader()
    page.feed(text)
    page.close()
    assert not page.wrong and not page.open, (page.wrong, page.open)
    data = [script for attributes, script in page.scripts if attributes.get("type") == "application/json"]
    assert len(data) == 1 and len(page.scripts) == 2, [attributes for attributes, _ in page.scripts]
    return page, json.loads(data[0])


def page_of(report):
    with tempfile.TemporaryDirectory() as place:
        return read_page(reports.write_page(report, f"{place}/page.html"))


def unpacked(data):
    """The findings with their frames back in place."""
    def text(index):
        return None if index < 0 else data["texts"][index]

    def frame_at(index):
        function, file, line, module, offset, source = data["frames"][index]
        return {"function": text(function), "file": text(file), "line": line, "module": text(module), "offset": offset,
                "source": text(source)}

    for finding in data["findings"]:
        for step in finding["evidence"]:
            step["at"] = None if step["at"] < 0 else frame_at(step["at"])
            for kind in ("python", "stack"):
                step[kind] = [] if step[kind] < 0 else [frame_at(i) for i in data["stacks"][step[kind]]]
    return data["findings"]


def plain(frame):
    full = {"function": None, "file": None, "line": 0, "module": None, "offset": 0, "source": None}
    return frame and {**full, **{key: value for key, value in frame.items() if value is not None}}


def check_data():
    """What the page holds is what the report says, each frame once."""
    report = reports.stories()
    page, data = page_of(report)
    found = unpacked(data)
    assert len(data["frames"]) == len({tuple(frame) for frame in data["frames"]}) < 30, data["frames"]
    for one, other in zip(report["findings"], found):
        for step in one["evidence"]:
            step["at"] = plain(step["at"])
            for kind in ("python", "stack"):
                step[kind] = [plain(frame) for frame in step[kind]]
        assert one == other, (one, other)
    assert data["processes"] == report["processes"] and data["limits"] == report["limits"]
    assert data["rules"]["deadlock-cycle"]["hazard"]


def check_hostile():
    """Names that are markup stay data: the elements are those of a harmless page, and every name comes back whole."""
    harmless, _ = page_of(reports.stories())
    page, data = page_of(reports.hostile())
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in harmless.tags]
    assert [finding["message"] for finding in data["findings"]] == reports.HOSTILE
    assert data["command"] == reports.HOSTILE == data["limits"]
    raw = next(script for attributes, script in page.scripts if attributes.get("type"))
    assert "<" not in raw and raw.isascii(), "the data must not hold < nor anything but ASCII"


def check_alone():
    """It names no address to fetch, and forbids what it does not need."""
    with tempfile.TemporaryDirectory() as place:
        file = reports.write_page(reports.stories(), f"{place}/page.html")
        page, _ = read_page(file)
        text = re.sub(r'<script type="application/json".*?</script>', "", file.read_text(), flags=re.S)
    found = [text[match.start():match.start() + 60] for match in ADDRESS.finditer(text)]
    allowed = ('href="#', "href: `#", "http://www.w3.org/2000/svg", "url(#${hatchId}")
    assert not [one for one in found if not any(word in one for word in allowed)], found
    policy = next(attributes["content"] for tag, attributes in page.tags if attributes.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "unsafe-eval" not in policy, policy
    code = next(script for attributes, script in page.scripts if not attributes)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", code)
    assert "/* style */" not in text and "/* script */" not in text


def check_many():
    """Many findings over many processes take a bounded file: what repeats is told once."""
    page, data = page_of(reports.crowd(600, 60))
    size = len(next(script for attributes, script in page.scripts if attributes.get("type")))
    assert len(data["findings"]) == 600 and len(data["frames"]) < 2000, len(data["frames"])
    assert size < 600 * 1800 + 60 * 2500, f"{size} bytes of data"
    assert len(data["line"]["spans"]) <= 24 * 60 and data["line"]["left_out"] > 0, data["line"]["left_out"]


def check_run():
    """A whole run: the fork, its child and the lock stand in the page of an example."""
    with tempfile.TemporaryDirectory() as place:
        file = f"{place}/page.html"
        run_bare([MPSAN, "run", "--on-deadlock=kill", "--report", f"html={file}", "--", system_python(),
                  ROOT / "examples/lock-over-start/hazard.py"])
        _, data = read_page(file)
    found = [one for one in data["findings"] if one["rule"] == "fork-orphaned-lock"]
    assert len(found) == 1 and found[0]["subject"]["kind"] == "lock", found
    fork = next(step for step in found[0]["evidence"] if step["role"] == "fork")
    assert fork["child"] == found[0]["pid"] in [one["pid"] for one in data["processes"]], fork


def check_hosts():
    """Of two hosts the clock of one is five seconds ahead: all times of a story are put on the other's, and each process
    says where it ran."""
    with tempfile.TemporaryDirectory() as place:
        run_bare([MPSAN, "run", "--report", f"json={place}/a.json", "--dir", f"{place}/first", "--", "/bin/true"])
        run_bare([MPSAN, "run", "--on-deadlock=kill", "--report", f"json={place}/b.json", "--dir", f"{place}/second", "--", system_python(),
                  ROOT / "tests/preload/waits/deadlock-cycle-locks.py"])
        sessions.copy_session(f"{place}/first", f"{place}/a", name="a")
        sessions.copy_session(f"{place}/second", f"{place}/b", 5_000_000_000, name="b")
        run = run_bare([MPSAN, "report", "--skew", "b=5", "--report", f"html={place}/page.html", f"{place}/a", f"{place}/b"])
        assert run.exit in (0, 66), run
        _, data = read_page(f"{place}/page.html")
    assert [one["host"] for one in data["hosts"]] == ["a", "b"], data["hosts"]
    knot = next(one for one in data["findings"] if one["rule"] == "deadlock-cycle")
    assert knot["host"] == "b" and {one["host"] for one in data["processes"]} == {"a", "b"}, knot
    for step in knot["evidence"]:
        assert 0 <= step["time_ns"] - step["waits_for"]["since_ns"] < 60e9, step
    assert {thread[4] for thread in data["line"]["threads"]} == {1}, data["line"]["threads"]


main({"data": check_data, "hostile": check_hostile, "alone": check_alone, "many": check_many, "run": check_run, "hosts": check_hosts})
