#!/usr/bin/env python3
"""What bash and zsh offer after `mpsan …`, asked of the completions that the build has made."""
# cases

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import BUILD, Skip, main  # noqa: E402

BASH = '''
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
complete -p mpsan >/dev/null && { _mpsan; printf '%s\\n' "${COMPREPLY[@]}"; }
'''

# Set-up of an interactive zsh, each line typed into its terminal.
ZSH = """PS1= RPS1= PROMPT_EOL_MARK= LISTMAX=100000; unsetopt zle_bracketed_paste; stty cols 4000 rows 500 -echo
fpath=({place} $fpath); autoload -Uz compinit; compinit -u -d {place}/dump
"""
TERMINAL_BASH = """PS1=; stty cols 400; bind 'set show-all-if-ambiguous on'; bind 'set page-completions off'
source {file}
"""


def bash(*words):
    run = subprocess.run(["bash", "-c", BASH, "bash", str(BUILD / "man/mpsan.bash"), *words], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return set(run.stdout.split())


def offers(words, *wanted, without=()):
    found = bash(*words)
    assert set(wanted) <= found, f"{words}: offered {sorted(found)}"
    assert not set(without) & found, f"{words}: offered {sorted(found)}"


def check_bash_words():
    offers(["mpsan", ""], "run", "doctor", "help", "--version")
    offers(["mpsan", "re"], "report", without=["run"])
    offers(["mpsan", "run", "--"], "--report=", "--hang-after=", "--auto-export", "--", without=["--skew="])
    offers(["mpsan", "check", "--ba"], "--baseline=", without=["--report="])
    offers(["mpsan", "ps", "--"], "--memory", "--json", "--tree")
    offers(["mpsan", "top", "--"], "--once", "--tree")
    offers(["mpsan", "explain", "fork-t"], "fork-threads", "fork-thread-pool", without=["fork-late"])
    offers(["mpsan", "list", ""], "hooks", "rules", "formats")
    offers(["mpsan", "help", "d"], "doctor", "dump")
    offers(["mpsan", "help", "c"], "check", "ci", "cuda", "costs")


def check_bash_values():
    offers(["mpsan", "run", "--policy", "s"], "strict", without=["ci"])
    offers(["mpsan", "run", "--policy", "=", "c"], "ci", without=["strict"])
    offers(["mpsan", "run", "--report", "sa"], "sarif=")
    offers(["mpsan", "run", "--report", "=", "sa"], "sarif=")
    offers(["mpsan", "run", "--rule", "fork-lat"], "fork-late=")
    offers(["mpsan", "run", "--rule", "fork-late", "=", "n"], "note", without=["fork-late="])
    offers(["mpsan", "run", "--rule", "=", "fork-late", "=", ""], "off", "error")
    offers(["mpsan", "run", "--fail-on", "="], "never", "warning")
    offers(["mpsan", "run", "--on-deadlock", "k"], "kill")
    offers(["mpsan", "env", "--launcher", "s"], "slurm", without=["strict"])
    offers(["mpsan", "env", "--print", "y"], "yes", without=["no"])


def check_bash_files():
    with tempfile.TemporaryDirectory() as place:
        Path(place, "sub dir").mkdir()
        Path(place, "file").touch()
        os.chdir(place)
        assert bash("mpsan", "report", "") == {"sub", "dir"}, "one name with a blank"
        offers(["mpsan", "run", "--report", "json", "=", "f"], "file")
        offers(["mpsan", "run", "--suppressions", "f"], "file")
    offers(["mpsan", "run", "--", "mapfil"], "mapfile")


class Shell:
    """An interactive shell in a terminal, that has the completion."""

    def __init__(self, command, setup):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, {**os.environ, "TERM": "dumb"})
        os.write(self.terminal, setup.encode() + b"print() { echo $1; }; print REA''DY\n")
        self.read_until("READY")

    def read_until(self, mark):
        text = ""
        while mark not in text:
            assert select.select([self.terminal], [], [], 20)[0], f"the shell says no more than {text!r}"
            text += os.read(self.terminal, 65536).decode(errors="replace")
        return text

    def words(self, line):
        """What is on the screen after a TAB behind `line`: the choices, or the line with the only one."""
        os.write(self.terminal, line.encode() + b"\t\x01\x0bprint DO''NE\n")
        return set(re.findall(r"[\w-]+", self.read_until("DONE")))

    def close(self):
        os.close(self.terminal)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def check_lines(shell, *more):
    """Typed into a shell; what must be seen and what must not."""
    try:
        for line, wanted, unwanted in (
                ("mpsan ", {"run", "doctor"}, set()),
                ("mpsan explain fork-thread", {"fork-threads", "fork-thread-pool"}, {"fork-late"}),
                ("mpsan run --policy ", {"strict", "quiet"}, set()),
                ("mpsan run --report=j", {"json", "junit"}, {"html"}),
                ("mpsan run --h", {"--hang-after", "--help"}, {"--dir"}),
                ("mpsan run -- mapfil", set(), {"doctor"}), ("mpsan help c", {"check", "cuda", "costs"}, set()), *more):
            found = shell.words(line)
            assert wanted <= found and not unwanted & found, f"{line!r}: on the screen {sorted(found)}"
    finally:
        shell.close()


def check_zsh():
    if not shutil.which("zsh"):
        raise Skip("zsh is not installed")
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(BUILD / "man/mpsan.zsh", Path(place, "_mpsan"))
        check_lines(Shell(["zsh", "-f", "-i"], ZSH.format(place=place)),
                    ("mpsan run --rule fork-late=n", {"note"}, {"error"}))


def check_bash_terminal():
    setup = TERMINAL_BASH.format(file=BUILD / "man/mpsan.bash")
    check_lines(Shell(["bash", "--norc", "--noprofile", "-i"], setup),
                ("mpsan run --rule=fork-orphaned-lock=", {"off", "warning"}, set()),
                ("mpsan run --rule fork-late=", {"off", "warning"}, set()))


main({"bash_words": check_bash_words, "bash_values": check_bash_values, "bash_files": check_bash_files,
      "bash_terminal": check_bash_terminal, "zsh": check_zsh})
