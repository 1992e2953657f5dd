"""The instructions by which what was written is published in the cross-built library, and by which the command looks for it.
An emulator on x86-64 makes stores visible in their order, so that no test which runs there can miss one of them."""

import re
import subprocess

from mpsantest import BUILD

RELEASE, ACQUIRE, FENCE = r"stlr\w*|stlxr\w*|swpal?l\w*", r"lda(pu?r|r|xr)\w*", r"dmb"
WANTED = {
    "libmpsan.so": {"log_commit": RELEASE, "log_remember": RELEASE, "log_recall": ACQUIRE, "log_head": ACQUIRE,
                    "ranges_publish": RELEASE, "ranges_claim": FENCE, "callsite_now": FENCE},
    "mpsan": {"logfile_next": ACQUIRE, "logfile_look": ACQUIRE, "snapshot_record": ACQUIRE, "session_there": ACQUIRE},
}


def code_of(file, function):
    """Disassembled, a line for each instruction."""
    words = ["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", file]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout


def missing():
    """What is not as it must be, a line each."""
    for name, functions in WANTED.items():
        for function, instruction in functions.items():
            code = code_of(BUILD / "aarch64" / name, function)
            if not re.search(rf"\t({instruction})\b", code):
                yield f"{name}: no {instruction} in {function}"
