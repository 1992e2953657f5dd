#!/usr/bin/env python3
"""mpsan doctor on real conditions: programs that cannot be watched, limits, small file systems, other preloads. What
this machine cannot be made to show is in unit/test_doctor.c."""
# cases

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from faults import build, can_build, scratch  # noqa: E402
from mpsantest import LIBRARY, MPSAN, Skip, main, run_bare, run_mpsan, system_python  # noqa: E402

RETURNS_7 = "int main(void) { return 7; }\n"
LOADS = "#include <dlfcn.h>\nint main(void) { return !dlopen(\"libm.so.6\", RTLD_NOW); }\n"
BARE_METAL = "__attribute__((noreturn)) void _start(void) { for (;;) ; }\n"
SAYS = '#include <stdio.h>\nint main(void) {{ puts("{}"); return 0; }}\n'


def doctor(*command, before=(), env=None):
    """(exit, {subject: [(grade, text, fix)]}); the text form must have the same lines."""
    words = [*before, MPSAN, "doctor"]
    text, run = (run_bare([*words, *options, *(["--", *command] if command else [])], env=env)
                 for options in ([], ["--json"]))
    report = json.loads(run.out)
    assert report["schema"] == "mpsan.doctor/1" and report["command"] == (list(map(str, command)) or None), report
    assert run.exit == text.exit == (0 if report["usable"] else 1) and not run.err, (run, text)
    lines = {}
    for check in report["checks"]:
        lines.setdefault(check["subject"], []).append((check["grade"], check["text"], check["fix"] or ""))
        word = "BAD " if check["grade"] == "bad" else f"{check['grade']:4}"
        assert f"{word} {check['subject']}: " in text.out, text.out
    return run.exit, lines


def says(lines, subject, grade, text, fix=""):
    assert any(line[0] == grade and text in line[1] and fix in line[2] for line in lines.get(subject, [])), \
        f"no {grade} line on {subject} with {text!r}, {fix!r}: {lines}"


def check_machine():
    code, lines = doctor()
    assert code == 0, lines
    says(lines, "library", "ok", str(LIBRARY))
    says(lines, "session directory", "ok", "mpsan-")
    for subject in ("C library", "other processes", "/dev/shm", "descriptors", "GPU"):
        assert len(lines[subject]) == 1, lines


def check_obstacles():
    """Each of them is said, and true: run says so as well."""
    programs = {"statically linked": build(RETURNS_7, scratch("static"), "-static"),
                "another machine or word size": build(BARE_METAL, scratch("word32"), "-m32", "-nostdlib", "-static",
                                                      "-fno-pic")}
    if shutil.which("musl-gcc") and can_build(compiler="musl-gcc"):
        programs["musl"] = build(RETURNS_7, scratch("musl"), compiler="musl-gcc")
    if os.geteuid() == 0:  # a file of one's own that is set-user-ID gives no other rights
        programs["set-user-ID"] = build(RETURNS_7, scratch("setuid"))
        shutil.chown(programs["set-user-ID"], 65534)
        programs["set-user-ID"].chmod(0o4755)
    for words, program in programs.items():
        code, lines = doctor(program)
        assert code == 1, lines
        says(lines, "program", "bad", words, " ")
    code, lines = doctor("no-such-program")
    assert code == 1
    says(lines, "program", "bad", "not found", "PATH")
    assert any("statically linked" in limit for limit in run_mpsan([programs["statically linked"]]).report["limits"])


def check_sanitizers():
    """What is said to work does work."""
    for flag, subject in (("address", "AddressSanitizer"), ("thread", "ThreadSanitizer")):
        if not can_build(f"-fsanitize={flag}"):
            raise Skip(f"gcc has no -fsanitize={flag}")
        program = build(RETURNS_7, scratch(flag), f"-fsanitize={flag}")
        code, lines = doctor(program)
        assert code == 0, lines
        says(lines, subject, "ok", "first" if flag == "address" else "works")
        assert run_mpsan([program]).exit == 7


def check_scripts():
    for number, line in enumerate((f"#!{system_python()}", "#! /usr/bin/env -S python3 -u", "#!/usr/bin/env python3")):
        script = scratch(f"script{number}")
        script.write_text(f"{line}\nprint(1)\n")
        script.chmod(0o755)
        code, lines = doctor(script, env={"PATH": "/usr/bin:/bin"})
        assert code == 0, lines
        says(lines, "script", "ok", "python3")
        assert len(lines["Python"]) == 1, lines
    lost = scratch("lost")
    for line, asks in (("#!/no/such/python\n", "'/no/such/python'"), ("#!/usr/bin/env python3\r\n", "'python3'"),
                       ("#!\n", "''")):
        lost.write_text(line, newline="")
        lost.chmod(0o755)
        code, lines = doctor(lost)
        assert code == 1, lines
        says(lines, "program", "bad", f"interpreter {asks}", "first line")
    shim = scratch("python3")
    shim.write_text("#!/bin/sh\n")
    shim.chmod(0o755)
    says(doctor(shim)[1], "script", "ok", "run by /bin/sh", "sys.executable")
    nested = scratch("nested")
    nested.write_text(f"#!{shim}\n")
    nested.chmod(0o755)
    code, lines = doctor(nested)
    assert code == 0, lines
    says(lines, "script", "ok", f"run by {shim}")
    shim.write_text(f"#!{shim}\n")
    says(doctor(shim)[1], "program", "bad", "not an ELF")
    says(doctor("docker", env={"PATH": scratched_bin("docker")})[1], "work elsewhere", "warn", "daemon", "mpsan run")
    says(doctor(build(LOADS, scratch("loads"), "-ldl"))[1], "RTLD_DEEPBIND", "ok", "cannot be known")
    assert "RTLD_DEEPBIND" not in doctor(build(RETURNS_7, scratch("plain")))[1]


def scratched_bin(name):
    place = scratch("bin")
    place.mkdir()
    build(RETURNS_7, place / name)
    return str(place)


def check_pythons():
    """A program that answers as a Python would."""
    place = Path(scratched_bin("other"))
    for answer, grade, text, fix in (("3.13.2 cpython", "ok", "threading.Lock", ""),
                                     ("3.13.0 cpython", "ok", "3.13.0", ""),
                                     ("3.14.7 cpython", "ok", "threading.Lock", ""),
                                     ("3.7.1 cpython", "warn", "cannot be shown", "3.8"),
                                     ("3.10.1 pypy", "warn", "pypy", "CPython"),
                                     ("", "warn", "by its name", "import sys")):
        program = build(SAYS.format(answer) if answer else RETURNS_7, place / "python3.13")
        says(doctor(program)[1], "Python", grade, text, fix)
    (place.parent / "pyvenv.cfg").touch()
    says(doctor(program)[1], "environment", "ok", f"virtual environment {place.parent}")
    (place.parent / "pyvenv.cfg").unlink()
    (place.parent / "conda-meta").mkdir()
    says(doctor(program)[1], "environment", "ok", f"conda environment {place.parent}")
    says(doctor(system_python())[1], "Python", "ok", "3.")


def check_descriptors():
    lines = doctor(before=["sh", "-c", 'ulimit -Sn 256; exec "$@"', "sh"])[1]
    says(lines, "descriptors", "warn", "may open 256", "ulimit -n")
    lines = doctor(before=["sh", "-c", 'ulimit -n 300; exec "$@"', "sh"])[1]
    says(lines, "descriptors", "warn", "may open 300", "LimitNOFILE")


def in_own_mounts(script):
    """A shell of its own mount namespace, which runs what follows after `script`."""
    before = ["unshare", "-m", "sh", "-c", f'set -e; {script}; exec "$@"', "sh"]
    if subprocess.run([*before, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("no mount namespace here")
    return before


def check_file_systems():
    lines = doctor(before=in_own_mounts("mount -t tmpfs -o size=64m none /dev/shm"))[1]
    says(lines, "/dev/shm", "warn", "has 64 MiB", "--shm-size")
    full = in_own_mounts("mount -t tmpfs -o size=80m none /dev/shm; head -c 75m /dev/zero >/dev/shm/full")
    says(doctor(before=full)[1], "/dev/shm", "warn", "5 of 80 MiB", "mpsan ps --memory")
    place = scratch("small")
    place.mkdir()
    lines = doctor(before=in_own_mounts(f"mount -t tmpfs -o size=100m,noexec none {place}"), env={"TMPDIR": str(place)})[1]
    says(lines, "TMPDIR", "warn", "100 MiB left", "--log-max")
    lines = doctor(before=in_own_mounts(f"mount -t tmpfs -o size=400m,noexec none {place}"), env={"TMPDIR": str(place)})[1]
    says(lines, "TMPDIR", "ok", "noexec does no harm")


def check_no_tmp():
    code, lines = doctor(env={"TMPDIR": "/no/such/place"})
    assert code == 1, lines
    says(lines, "session directory", "bad", "/no/such/place", "TMPDIR")


def check_preloads():
    says(doctor(env={"LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": str(scratch("session"))})[1], "LD_PRELOAD", "ok", "own library")
    copy = scratch("libmpsan.so")
    shutil.copy(LIBRARY, copy)
    lines = doctor(env={"LD_PRELOAD": str(copy), "MPSAN_DIR": str(scratch("session"))})[1]
    says(lines, "LD_PRELOAD", "warn", "another mpsan", str(LIBRARY))
    jemalloc = need_library("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2")
    says(doctor(env={"LD_PRELOAD": jemalloc})[1], "LD_PRELOAD", "ok", "allocator")


def need_library(path):
    if not Path(path).exists():
        raise Skip(f"{path} is missing")
    return path


def check_seccomp():
    """A container's profile that forbids to read other processes' memory, as Docker's did before Linux 4.8."""
    program = build('''
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog filter = {4, code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 77;
	execv(argv[1], argv + 1);
	return 1;
}
''', scratch("sandbox"))
    if subprocess.run([program, "/bin/true"]).returncode == 77:
        raise Skip("no seccomp here")
    code, lines = doctor(before=[program])
    assert code == 0, lines
    says(lines, "other processes", "warn", "cannot be proven", "SYS_PTRACE" if os.geteuid() == 0 else "")


def check_usage():
    for words in (["--nonsense"], ["--json=x"]):
        run = run_bare([MPSAN, "doctor", *words])
        assert run.exit == 2 and len(run.err.splitlines()) == 1, run


main({"machine": check_machine, "obstacles": check_obstacles, "sanitizers": check_sanitizers, "scripts": check_scripts,
      "pythons": check_pythons, "descriptors": check_descriptors, "file_systems": check_file_systems,
      "no_tmp": check_no_tmp, "preloads": check_preloads, "seccomp": check_seccomp, "usage": check_usage})
