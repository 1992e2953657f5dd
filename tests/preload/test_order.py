#!/usr/bin/env python3
"""Lock orders on their way: asked for or not, recorded and judged later, and how many of them there are."""
# cases

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import (  # noqa: E402
    BUILD, LIBRARY, MPSAN, dump, find, main, run_bare, run_mpsan, system_python)

PAIR = BUILD / "tests/preload/lock-order/lock-order-inversion-pair"
RULE = "lock-order-inversion"
SAID = f'"rule": "{RULE}"'
# Each wait takes a lock that is made for it, and its limit of time ends it.
WAITS = """
import threading
condition = threading.Condition()
def wait():
    for _ in range(500):
        with condition:
            condition.wait(0.0001)
threads = [threading.Thread(target=wait) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def recorded(command, *options, env=None):
    """The order events of a session, and the session's report as `mpsan report` gives it with `options`."""
    with tempfile.TemporaryDirectory() as directory:
        session = Path(directory, "session")
        words = env or ["run", "--dir", session, "--report", f"json={directory}/live", *options, "--"]
        if env:
            run_bare(command, env={**env, "MPSAN_DIR": str(session)})
        else:
            run_bare([MPSAN, *words, *command])
        orders = [event for event in dump(session) if event["event"] == "order"]
        run = run_bare([MPSAN, "report", "--report", f"json={directory}/later", *options, session])
        assert run.exit == 0, run.err
        return orders, Path(directory, "later").read_text()


def check_off():
    orders, report = recorded([PAIR])
    assert not orders and SAID not in report


def check_judged_later():
    orders, report = recorded([PAIR], "--rule", f"{RULE}=note")
    assert orders and '"severity": "note"' in report, report


def check_plain_preloading():
    printed = run_bare([MPSAN, "env", "--lock-order=yes"]).out
    assert "lock-order=yes" in printed, printed
    env = {"LD_PRELOAD": str(LIBRARY), "MPSAN_OPTIONS": "lock-order=yes"}
    orders, report = recorded([PAIR], env=env)
    assert orders and SAID not in report, "it is off by preset, recorded or not"
    orders, report = recorded([PAIR], "--rule", f"{RULE}=warning", env=env)
    assert SAID in report


def check_short_lived_locks():
    orders, _ = recorded([system_python(), "-c", WAITS], "--rule", f"{RULE}=warning")
    assert 0 < len(orders) < 60, len(orders)


def check_fingerprint():
    """The same whichever order comes first; other locks have another one."""
    prints = set()
    for words in ([PAIR], [PAIR, "b_first"]):
        report = run_mpsan(words, ["--rule", f"{RULE}=warning"]).report
        prints.add(find(report, RULE, "warning")["fingerprint"])
    assert len(prints) == 1, prints


main({
    "off": check_off,
    "judged-later": check_judged_later,
    "plain-preloading": check_plain_preloading,
    "short-lived-locks": check_short_lived_locks,
    "fingerprint": check_fingerprint,
})
