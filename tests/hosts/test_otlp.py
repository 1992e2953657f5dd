#!/usr/bin/env python3
"""--report otlp: what it writes is accepted by OpenTelemetry's own schema, whole, in lines that a receiver takes, and the
collector's configuration beside it reads it."""
# cases

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, MPSAN, ROOT, Skip, dump, find, main, need_builds, run_bare, system_python  # noqa: E402
from sessions import MEASURED, NFS, copy_session  # noqa: E402

HERE = Path(__file__).resolve().parent
FLEET = ROOT / "examples/fleet"
LINE_MAX = 1 << 20  # what the collector's file receiver takes (max_log_size)
POINTED_AT = {"text", "stack", "thread"}


def with_session(case):
    def run():
        need_builds()
        with tempfile.TemporaryDirectory() as place:
            run_bare([MPSAN, "run", "--report", f"otlp={place}/live.jsonl", "--on-deadlock=kill", "--dir", f"{place}/session",
                      "--", BUILD / "tests/preload/fork/fork-orphaned-lock-mutex"])
            case(Path(place))
    return run


def count(file):
    """What the schema makes of a file."""
    run = run_bare([system_python(), HERE / "otlp_schema.py", file])
    if run.exit == 77:
        raise Skip(run.out.strip())
    assert run.exit == 0, run.err
    return json.loads(run.out)


def write(file, *args):
    """Writes the report and its document."""
    run = run_bare([MPSAN, "report", "--report", f"otlp={file}", "--report", "json=-", *args])
    assert run.exit in (0, 66), run
    return json.loads(run.out)


def records(file):
    for line in Path(file).read_text().splitlines():
        for logs in json.loads(line)["resourceLogs"]:
            resource = {entry["key"]: entry["value"] for entry in logs["resource"]["attributes"]}
            for record in logs["scopeLogs"][0]["logRecords"]:
                yield resource, {entry["key"]: entry["value"] for entry in record["attributes"]}, record


def check_schema(place):
    document = write(place / "out.jsonl", place / "session")
    counts = count(place / "out.jsonl")
    events = [event for event in dump(place / "session") if event["event"] not in POINTED_AT]
    assert counts["severities"]["DEBUG"] == len(events), (counts, len(events))
    assert counts["severities"]["ERROR"] == 1 and counts["longest"] < LINE_MAX, counts
    assert counts["resources"] == counts["lines"], counts
    assert counts["rules"] == {finding["rule"]: finding["fingerprint"] for finding in document["findings"]}, counts
    live = count(place / "live.jsonl")
    assert live["rules"] == counts["rules"] and live["severities"]["DEBUG"] > 0, live


def check_finding(place):
    finding = find(write(place / "out.jsonl", place / "session"), "fork-orphaned-lock")
    resource, attributes, record = next(records(place / "out.jsonl"))
    assert record["severityNumber"] == 17 and record["body"]["stringValue"] == finding["message"]
    assert record["timeUnixNano"] == str(finding["time_ns"]), record
    assert resource["process.pid"] == {"intValue": str(finding["pid"])}, resource
    assert "fork-orphaned-lock-mutex" in json.dumps(resource["process.command_args"]), resource
    assert attributes["mpsan.count"] == {"intValue": "1"} and attributes["mpsan.fix"]["stringValue"] == finding["fix"]
    assert attributes["code.function.name"]["stringValue"] == "child_wants", attributes  # the waiter's, as thread.id
    assert attributes["code.line.number"]["intValue"].isdigit() and "code.file.path" in attributes
    assert "fingerprint: " + finding["fingerprint"] in attributes["exception.stacktrace"]["stringValue"]


def check_ranks(place):
    """Times are those of the first host's clock; each record has the host and rank of its process."""
    for rank in range(3):
        copy_session(place / "session", place / f"job/{rank}", 5 * 10**9 * rank, name=f"n{rank}", boot=str(rank), rank=rank,
                     world=3, filesystem=NFS, clock=MEASURED, ahead_ns=5 * 10**9 * rank)
    document = write(place / "out.jsonl", place / "job")
    births = {}
    for resource, attributes, record in records(place / "out.jsonl"):
        if attributes["event.name"]["stringValue"] == "mpsan.birth":
            births.setdefault(resource["mpsan.rank"]["intValue"], []).append(record["timeUnixNano"])
            assert resource["host.name"]["stringValue"] == "n" + resource["mpsan.rank"]["intValue"], resource
    assert births["0"] == births["1"] == births["2"] and len(births["0"]) > 1, births
    assert count(place / "out.jsonl")["rules"]["fork-orphaned-lock"] == document["findings"][0]["fingerprint"]
    _, attributes, _ = next(records(place / "out.jsonl"))
    assert attributes["mpsan.spread"]["stringValue"] == "on all 3 ranks", attributes
    assert attributes["mpsan.ranks"]["arrayValue"]["values"] == [{"intValue": str(rank)} for rank in range(3)]


def check_many_events(place):
    """Many lines, none too long, nothing lost between them."""
    code = "import os\nfor _ in range(200):\n    if not os.fork():\n        os._exit(0)\n    os.wait()\n"
    run_bare([MPSAN, "run", "--report", f"otlp={place}/many.jsonl", "--dir", f"{place}/many", "--", system_python(), "-S",
              "-c", code])
    counts = count(place / "many.jsonl")
    events = [event for event in dump(place / "many") if event["event"] not in POINTED_AT]
    assert counts["severities"]["DEBUG"] == len(events) > 500 and counts["longest"] < LINE_MAX, (counts, len(events))


def check_odd_texts(place):
    """Arguments of any bytes, a device as the file, a file that cannot be written."""
    run_bare([MPSAN, "run", "--report", f"otlp={place}/odd.jsonl", "--", "sh", "-c", "/bin/true; exit 0", b"\xff\n\"".decode(
        errors="surrogateescape")])
    assert count(place / "odd.jsonl")["severities"]["DEBUG"] > 3
    run = run_bare([MPSAN, "report", "--report", f"otlp={place}/no/such", place / "session"])
    assert run.exit == 2 and "no/such" in run.err and run.err.count("\n") == 1, run
    for line in run_bare([MPSAN, "report", "--report", "otlp=-", place / "session"]).out.splitlines():
        json.loads(line)


def configuration():
    try:
        import yaml
    except ImportError:
        raise Skip("needs python3-yaml") from None
    return yaml.safe_load((FLEET / "collector.yaml").read_text())


def check_collector_configuration(place):
    """What the pipelines name is there, and the receiver takes lines of the length that is written."""
    collector = configuration()
    for name, pipeline in collector["service"]["pipelines"].items():
        assert name.startswith("logs"), name
        for kind in ("receivers", "processors", "exporters"):
            missing = set(pipeline.get(kind, ())) - set(collector.get(kind) or ())
            assert not missing, f"{name}: {kind} {missing} are not defined"
    receiver = collector["receivers"]["otlpjsonfile"]
    assert receiver["include"] == ["/var/log/mpsan/*.jsonl"] and receiver["start_at"] == "beginning", receiver
    assert "max_log_size" not in receiver or receiver["max_log_size"] == "1MiB"
    text = (FLEET / "README.md").read_text()
    assert "--report otlp=/var/log/mpsan/" in text and "collector.yaml" in text, text


def check_collector(place):
    """A real collector, where there is one, reads the file and writes the same findings."""
    program = shutil.which("otelcol-contrib") or os.environ.get("MPSAN_OTELCOL")
    if not program:
        raise Skip("no otelcol-contrib here")
    text = (FLEET / "collector.yaml").read_text()
    (place / "collector.yaml").write_text(text.replace("/var/log/mpsan", str(place)))
    done = subprocess.run([program, "validate", "--config", place / "collector.yaml"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr


main({name[6:]: with_session(case) for name, case in sorted(globals().items()) if name.startswith("check_")})
