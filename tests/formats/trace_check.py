"""Holds a Chrome trace against what its format asks for: what a viewer would drop or draw wrongly raises."""

import json
from collections import defaultdict
from decimal import Decimal


def load(path):
    """Times in nanoseconds as whole numbers, so that nothing is rounded."""
    trace = json.loads(open(path, encoding="utf-8").read(), parse_float=Decimal)
    for event in trace["traceEvents"]:
        for key in ("ts", "dur"):
            if key in event:
                event[key] = int(Decimal(event[key]) * 1000)
    return trace["traceEvents"]


def check(path):
    """The events, after all checks; the metadata are left out."""
    events = load(path)
    meta = [event for event in events if event["ph"] == "M"]
    rest = [event for event in events if event["ph"] != "M"]
    check_names(meta, rest)
    assert all(one["ts"] <= other["ts"] for one, other in zip(rest, rest[1:])), "not in the order of time"
    assert all(event["ts"] >= 0 for event in rest)
    slices = [event for event in rest if event["ph"] == "X"]
    check_nesting(slices)
    check_flows(rest, slices)
    check_async(rest)
    check_counters(rest)
    known = {"X", "i", "s", "f", "b", "e", "C"}
    assert {event["ph"] for event in rest} <= known, f"phases {({event['ph'] for event in rest})}"
    return rest


def check_names(meta, rest):
    processes = {event["pid"]: event["args"]["name"] for event in meta if event["name"] == "process_name"}
    threads = {}
    for event in meta:
        if event["name"] == "thread_name":
            assert event["tid"] not in threads, f"TID {event['tid']} stands for two threads"
            threads[event["tid"]] = event["pid"]
    assert len(processes) == sum(event["name"] == "process_name" for event in meta), "a pid stands for two processes"
    sorted_ones = {event["pid"] for event in meta if event["name"] == "process_sort_index"}
    assert sorted_ones == set(processes)
    for event in rest:
        assert event["pid"] in processes, f"a process without a name: {event}"
        if "tid" in event:
            assert threads.get(event["tid"]) == event["pid"], f"a thread without a name: {event}"


def check_nesting(slices):
    tracks = defaultdict(list)
    for event in slices:
        assert event["dur"] >= 0
        tracks[event["pid"], event["tid"]].append(event)
    for events in tracks.values():
        open_ends = []
        for event in events:
            while open_ends and open_ends[-1] <= event["ts"] and open_ends[-1] < event["ts"] + event["dur"]:
                open_ends.pop()
            end = event["ts"] + event["dur"]
            assert not open_ends or end <= open_ends[-1], f"ends after what encloses it: {event}"
            open_ends.append(end)


def check_flows(rest, slices):
    """Each flow has one begin and one end, in this order, both within a slice of their thread."""
    tracks = defaultdict(list)
    for event in slices:
        tracks[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    begins = {event["id"]: event for event in rest if event["ph"] == "s"}
    ends = {event["id"]: event for event in rest if event["ph"] == "f"}
    assert set(begins) == set(ends), "a flow has one end only"
    assert len(begins) == sum(event["ph"] == "s" for event in rest), "two flows have one number"
    for number, begin in begins.items():
        end = ends[number]
        assert end["bp"] == "e" and begin["ts"] <= end["ts"]
        assert (begin["cat"], begin["name"]) == (end["cat"], end["name"])
        for event in (begin, end):
            assert any(low <= event["ts"] <= high for low, high in tracks[event["tid"]]), f"bound to nothing: {event}"


def check_async(rest):
    begins = {(event["cat"], event["id"]): event for event in rest if event["ph"] == "b"}
    ends = {(event["cat"], event["id"]): event for event in rest if event["ph"] == "e"}
    assert set(begins) == set(ends)
    assert len(begins) == sum(event["ph"] == "b" for event in rest), "two begin with one number"
    for key, begin in begins.items():
        assert begin["ts"] <= ends[key]["ts"] and begin["name"] == ends[key]["name"]


def check_counters(rest):
    for event in rest:
        if event["ph"] == "C":
            assert set(event["args"]) == {"bytes"} and event["args"]["bytes"] >= 0
