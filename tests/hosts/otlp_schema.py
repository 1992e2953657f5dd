"""Reads OTLP in JSON as OpenTelemetry's schema has it: `otlp_schema.py FILE` prints one JSON object that counts.

Needs protoc and Python's protobuf (Debian: protobuf-compiler, python3-protobuf); ends with 77 where they are missing.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROTO = Path(__file__).resolve().parent / "opentelemetry/proto"
REQUEST = "opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest"

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
    subprocess.run(["protoc", "--version"], check=True, stdout=subprocess.DEVNULL)
except (ImportError, OSError):
    print("needs protobuf-compiler and python3-protobuf")
    sys.exit(77)


def request_class():
    # The schema imports its files as opentelemetry/proto/...
    with tempfile.TemporaryDirectory() as place:
        Path(place, "opentelemetry").mkdir()
        Path(place, "opentelemetry/proto").symlink_to(PROTO)
        subprocess.run(["protoc", "-I", place, "--include_imports", f"--descriptor_set_out={place}/set",
                        "opentelemetry/proto/collector/logs/v1/logs_service.proto"], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(Path(place, "set").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    descriptor = pool.FindMessageTypeByName(REQUEST)
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)


def main(file):
    make = request_class()
    counts = {"lines": 0, "records": 0, "longest": 0, "severities": {}, "rules": {}, "resources": 0}
    with open(file, "rb") as lines:
        for line in lines:
            counts["lines"] += 1
            counts["longest"] = max(counts["longest"], len(line))
            request = json_format.Parse(line, make())  # an unknown field is an error
            for logs in request.resource_logs:
                names = {attribute.key for attribute in logs.resource.attributes}
                counts["resources"] += {"service.name", "service.version"} <= names
                for scope in logs.scope_logs:
                    for record in scope.log_records:
                        count(counts, record)
    print(json.dumps(counts))


def count(counts, record):
    values = {attribute.key: attribute.value.string_value for attribute in record.attributes}
    counts["records"] += 1
    counts["severities"][record.severity_text] = counts["severities"].get(record.severity_text, 0) + 1
    assert values["event.name"] == ("mpsan." + record.body.string_value if record.severity_text == "DEBUG"
                                    else values["event.name"]), values
    assert record.time_unix_nano or values["event.name"] == "mpsan.limit", values
    if "mpsan.rule" in values:
        counts["rules"][values["mpsan.rule"]] = values["mpsan.fingerprint"]


main(sys.argv[1])
