"""A virtual machine for aarch64: an emulated processor, the kernel and a copy of the files of build/aarch64-root (tools/dev/bootstrap
--aarch64), the checkout at /src. qemu-user would be quicker, but has no process_vm_readv, the numbers and registers of other
processes' system calls are the host's, and madvise and prctl do half of what they should: hardly a hang can be proved there."""

import gzip
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from mpsantest import BUILD, ROOT

FILES = BUILD / "aarch64-root"
QEMU = "qemu-system-aarch64"
CPU = "max,pauth-impdef=on,sve=off"  # it signs return addresses, as those of Graviton 3 and Grace do
IMAGE_BYTES = 4 << 30  # a sparse file
# In the order in which they need each other; those of sockets and overlays would otherwise be loaded when asked for.
MODULES = ("virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk", "crc16", "crc32c_generic", "mbcache",
           "jbd2", "ext4", "netfs", "fscache", "9pnet", "9pnet_virtio", "9p", "unix_diag", "inet_diag", "tcp_diag", "overlay")
# The serial line ends lines with a carriage return, and the kernel writes to it as well.
ENDED = re.compile(r"machine: exit (\d+)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # programs take the line for a terminal
INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc none /proc
for module in /modules/*; do $b insmod $module; done
$b mount -t devtmpfs none /dev
$b mount -t ext4 /dev/vda /root
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=loose src /root/src
$b mount -t proc none /root/proc
$b mount -t sysfs none /root/sys
$b mount -t devtmpfs none /root/dev
$b mkdir -p /root/dev/pts /root/dev/shm
$b ln -s /proc/self/fd /root/dev/fd
$b ln -s /proc/self/fd/0 /root/dev/stdin
$b mount -t devpts none /root/dev/pts
$b mount -t tmpfs -o mode=1777 none /root/dev/shm
$b mount -t tmpfs -o mode=1777 none /root/tmp
$b ifconfig lo up
$b umount /proc
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8
exec $b switch_root /root /bin/busybox sh -c '/bin/sh -c ". /src/SCRIPT"; echo "machine: exit $?"; /bin/busybox poweroff -f'
"""


def missing():
    """What there is none of here; "": nothing."""
    for program in (QEMU, "mke2fs"):
        if not shutil.which(program):
            return f"no {program}: tools/dev/bootstrap --aarch64"
    if not (FILES / "usr/bin/python3").exists() or not list(FILES.glob("boot/vmlinuz-*")):
        return f"no {FILES.relative_to(ROOT)}: tools/dev/bootstrap --aarch64"
    return "" if os.geteuid() == 0 else "needs root, to own the files of the machine"


def entry(name, mode, data=b""):
    """A file of an archive in cpio's newc format."""
    fields = (0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def first_files(script):
    """What the kernel starts with: it loads drivers, mounts the rest and runs the script."""
    def modules():
        for number, name in enumerate(MODULES):
            for path in FILES.glob(f"lib/modules/*/kernel/**/{name}.ko"):
                yield f"modules/{number:02}-{name}.ko", path.read_bytes()

    yield from (entry(name, 0o40755) for name in ("bin", "dev", "modules", "proc", "root"))
    yield entry("bin/busybox", 0o100755, (FILES / "bin/busybox").read_bytes())
    yield entry("init", 0o100755, INIT.replace("SCRIPT", script.relative_to(ROOT).as_posix()).encode())
    yield from (entry(name, 0o100644, data) for name, data in modules())
    yield entry("TRAILER!!!", 0)


def root_image(path):
    """A file system of its own is quicker than a shared one, where each open() asks the host."""
    with path.open("wb") as file:
        file.truncate(IMAGE_BYTES)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-d", FILES, path], check=True)
    return ["-drive", f"file={path},format=raw,if=virtio,cache=unsafe"]


def run(words, place, **variables):
    """Lines that the command prints in the machine; the last is its exit status. `place`: a folder for what is needed."""
    script, first = place / "machine.sh", place / "machine.cpio.gz"
    settings = " ".join(f"{name}={value}" for name, value in variables.items())
    script.write_text(f"cd /src && exec env {settings} {shlex.join(map(str, words))}\n")
    first.write_bytes(gzip.compress(b"".join(first_files(script)), 1))
    (FILES / "src").mkdir(exist_ok=True)
    kernel = sorted(FILES.glob("boot/vmlinuz-*"))[-1]
    # Without random addresses, so that what is translated for one process serves the next.
    command = [QEMU, "-M", "virt", "-cpu", CPU, "-smp", os.cpu_count(), "-m", "3G", "-accel", "tcg,thread=multi",
               "-nodefaults", "-nographic", "-serial", "stdio", "-no-reboot", "-kernel", kernel, "-initrd", first,
               "-append", "console=ttyAMA0 quiet loglevel=1 panic=-1 norandmaps", *root_image(place / "root.img"),
               "-virtfs", f"local,path={ROOT},mount_tag=src,security_model=passthrough"]
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as machine:
        try:
            for line in machine.stdout:
                yield COLOUR.sub("", line.rstrip("\r\n"))
        finally:
            machine.kill()
            (place / "root.img").unlink()
