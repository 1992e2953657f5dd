#!/usr/bin/env python3
"""Session directories by host and rank, and how launchers are told: each rank has its own, its children share it."""
# cases

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from mpsantest import LIBRARY, MPSAN, Skip, main, need_builds, run_bare  # noqa: E402
from sessions import MEASURED, copy_session, host_of  # noqa: E402

HOST = re.sub(r"[^A-Za-z0-9_.-]", "_", platform.node())
RANKS = {"torchrun": "RANK", "slurm": "SLURM_PROCID", "mpi": "OMPI_COMM_WORLD_RANK", "kubernetes": "JOB_COMPLETION_INDEX"}
JOB_VARIABLES = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID", "SLURM_PROCID", "SLURM_JOB_ID", "PMI_RANK",
                 "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "JOB_COMPLETION_INDEX", "JOB_NAME", "MPSAN_DIR", "LD_PRELOAD"}
CLEAN = {name: value for name, value in os.environ.items() if name not in JOB_VARIABLES}


def with_place(case):
    def run():
        need_builds()
        with tempfile.TemporaryDirectory() as place:
            case(Path(place))
    return run


def sh(script, place, **env):
    """Runs a script whose commands are watched by plain preloading; the shell that reads it is not."""
    done = subprocess.run(["sh", "-c", script], env={**CLEAN, "TMPDIR": str(place), **env}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=50)
    assert done.returncode == 0 and not done.stderr, f"exit {done.returncode}: {done.stderr}"
    return done.stdout


def preload(place, pattern, script):
    """The names of the sessions that a script makes."""
    sh(f"export LD_PRELOAD={LIBRARY} MPSAN_DIR='{place}/{pattern}'; {script}", place)
    return sorted(str(path.parent.relative_to(place)) for path in place.rglob("session"))


def programs(session):
    """What ran in a session, one word each, from the birth of each image."""
    run = run_bare([MPSAN, "report", "--report", "json=-", session])
    return sorted(process["argv"][0] for process in json.loads(run.out)["processes"])


def check_ranks_apart(place):
    script = "for r in 0 1 2; do RANK=$r /bin/true & done; wait"
    assert preload(place, "job/%h-%r", script) == [f"job/{HOST}-{rank}" for rank in range(3)]
    facts = host_of(place / f"job/{HOST}-2")
    assert (facts["name"], facts["rank"], facts["launcher"]) == (platform.node()[:63], 3, "torchrun"), facts
    assert facts["boot"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert facts["clock"] & MEASURED, facts


def check_children_stay(place):
    """An agent without a rank starts workers with one, in a shell between them and in place of itself."""
    script = """sh -c 'RANK=0 /bin/true; RANK=1 sh -c "/bin/true; /bin/true"; RANK=2 exec /bin/true'"""
    assert preload(place, "job/%h-%r", script) == [f"job/{HOST}-none"]
    assert programs(place / f"job/{HOST}-none").count("/bin/true") == 4
    report = json.loads(run_bare([MPSAN, "report", "--report", "json=-", place / "job"]).out)
    ranks = [process.get("rank") for process in report["processes"]]
    assert set(ranks) == {None, 0, 1, 2} and ranks.count(1) > 2, ranks
    assert len(list((place / f"mpsan-{os.geteuid()}/.dirs").iterdir())) == 1
    # What is dead is forgotten when the next one comes.
    preload(place, "other/%r", "RANK=9 /bin/true")
    assert len(list((place / f"mpsan-{os.geteuid()}/.dirs").iterdir())) == 1


def check_pid_is_the_root_s(place):
    names = preload(place, "%p", "sh -c '/bin/true; /bin/true; exec /bin/true'")
    assert len(names) == 1 and names[0].isdigit(), names


def check_words(place):
    script = "RANK=x SLURM_PROCID=4 SLURM_JOB_ID=12/../34 /bin/true"
    assert preload(place, "a%%b%q/%h.%r.%j", script) == [f"a%b%q/{HOST}.4.12_.._34"]


def check_no_place_for_notes(place):
    """Without a directory of its own under TMPDIR every process goes by its own variables."""
    script = "TMPDIR=/nowhere; export TMPDIR; sh -c 'RANK=1 /bin/true; exit 0'"
    assert preload(place, "job/%r", script) == ["job/1", "job/none"]


def check_too_long(place):
    """A name that does not fit leaves the program unwatched, with one line, and alone: nothing is made under a part of it."""
    long = "x" * 200
    for name in (f"{long}/{long}/%h", "x" * 250, "x" * (235 - len(f"{place}/"))):
        done = subprocess.run(["/bin/echo", "fine"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**CLEAN, "TMPDIR": str(place), "LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": f"{place}/{name}"})
        assert (done.returncode, done.stdout) == (0, "fine\n") and done.stderr.count("\n") == 1, done
        assert not list(place.glob("x*")), name


def check_run(place):
    """The command names it in the same way, makes what is above, and hands on what it came to."""
    command = [MPSAN, "run", "--report", "json=/dev/null", "--dir", f"{place}/100%%h/%h-%r", "--", "sh", "-c",
               'RANK=5 sh -c "/bin/true; env"']
    for rank in ("0", "7"):
        run = run_bare(command, env={"RANK": rank, "WORLD_SIZE": "8"})
        assert run.exit == 0 and f"MPSAN_DIR={place}/100%%h/{HOST}-{rank}\n" in run.out, run
    assert sorted(path.name for path in (place / "100%h").iterdir()) == [f"{HOST}-0", f"{HOST}-7"]
    assert "/bin/true" in programs(place / f"100%h/{HOST}-7")
    again = run_bare(command, env={"RANK": "7"})
    assert again.exit == 2 and "already contains a session" in again.err, again
    missing = run_bare([MPSAN, "run", "--dir", f"{place}/a/b/c/%h", "--", "true"])
    assert missing.exit == 2 and "No such file" in missing.err, missing


def check_other_host(place):
    """A launcher hands MPSAN_DIR on to other hosts, where the session's pids would mean other processes: nobody joins it
    there, and that is said; a container of the same host does."""
    preload(place, "made", "/bin/true")
    env = {**CLEAN, "LD_PRELOAD": str(LIBRARY), "MPSAN_OPTIONS": "join=only"}
    for name, boot, watched in (("there", "another", False), ("box", None, True)):
        session = copy_session(place / "made", place / name, name=name, **({"boot": boot} if boot else {}))
        done = subprocess.run(["/bin/echo", "fine"], env={**env, "MPSAN_DIR": str(session)}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (done.returncode, done.stdout) == (0, "fine\n"), done
        assert ("of another host" in done.stderr, "/bin/echo" in programs(session)) == (not watched, watched), done


def check_launchers(place):
    """What `mpsan env` prints is read by sh; a stand-in then sets what each launcher sets."""
    for launcher, variable in RANKS.items():
        job = place / f"it's {launcher}"
        quoted = str(job).replace("'", "'\\''")
        sh(f"""eval "$({MPSAN} env --launcher {launcher} --dir '{quoted}')"
               for r in 0 1; do {variable}=$r /bin/true & done; wait""", place)
        names = sorted(path.name for path in job.iterdir())
        per_host = launcher == "torchrun"
        assert names == ([HOST] if per_host else [f"{HOST}-0", f"{HOST}-1"]), names
        run = run_bare([MPSAN, "report", "--report", "json=-", job])
        hosts = json.loads(run.out)["hosts"]
        assert per_host or [host["rank"] for host in hosts] == [0, 1], hosts


def check_texts(place):
    """Each text names the directory and what to do with it afterwards; plain `mpsan env` is as it was."""
    for launcher, words in {"torchrun": "torchrun", "slurm": "srun --export='ALL,LD_PRELOAD=", "mpi": "-x 'MPSAN_DIR=",
                            "kubernetes": "env:"}.items():
        text = run_bare([MPSAN, "env", "--launcher", launcher, "--dir", place]).out
        assert words in text and f"report '{place}'" in text and f"{place}/%h" in text, text
        assert all(line.startswith(("export ", "# ")) for line in text.splitlines()), text
    text = run_bare([MPSAN, "env", "--launcher", "slurm", "--dir", "jobs/%j/%r", "--hang-after", "5", "--log-max", "1M"]).out
    assert f"MPSAN_DIR='{Path.cwd()}/jobs/%j/%r'" in text and f"report '{Path.cwd()}/jobs'" in text, text
    assert "pass on MPSAN_OPTIONS=log-max=1M" in text, text
    nasty = run_bare([MPSAN, "env", "--launcher", "mpi", "--dir", f"{place}/x\ntouch {place}/trap\n"]).out
    sh(nasty, place)
    assert not (place / "trap").exists()
    assert run_bare([MPSAN, "env"]).out == f"export LD_PRELOAD='{LIBRARY}'\n"
    wrong = run_bare([MPSAN, "env", "--launcher", "pbs"])
    assert wrong.exit == 2 and "torchrun, slurm, mpi or kubernetes" in wrong.err, wrong


def check_kubernetes(place):
    """The snippet is YAML that a pod's template takes."""
    try:
        import yaml
    except ImportError:
        raise Skip("needs python3-yaml") from None
    lines = run_bare([MPSAN, "env", "--launcher", "kubernetes", "--dir", place]).out.splitlines()
    begin = lines.index("#   containers:")
    end = next(at for at, line in enumerate(lines) if "%h is the pod" in line)
    spec = yaml.safe_load("\n".join(line[4:] for line in lines[begin:end]))
    container = spec["containers"][0]
    assert {entry["name"]: entry["value"] for entry in container["env"]} == \
        {"LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": f"{place}/%h-%r"}
    assert container["volumeMounts"] == [{"name": "mpsan", "mountPath": str(place)}]
    assert spec["volumes"][0]["name"] == "mpsan"


def check_ps(place):
    """A living session of a rank is found from another shell."""
    env = {**CLEAN, "TMPDIR": str(place), "LD_PRELOAD": str(LIBRARY), "MPSAN_DIR": f"{place}/job/%h-%r", "RANK": "3"}
    with subprocess.Popen(["cat"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cat:
        cat.stdin.write(b"up\n")
        cat.stdin.flush()
        cat.stdout.readline()
        run = run_bare([MPSAN, "ps", "--json"], env={"TMPDIR": str(place)})
        cat.stdin.close()
    assert f"job/{HOST}-3" in run.out, run


main({name[6:]: with_place(case) for name, case in sorted(globals().items()) if name.startswith("check_")})
