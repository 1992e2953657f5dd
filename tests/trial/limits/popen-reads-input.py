"""A command reads its input to the end, and the input is still open when its end is awaited, 40 s long."""
# expect: missing-sentinel error
# within: 20
# outside: nothing: whether it was sent anything before

import subprocess

command = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
command.stdin.write(b"pear\napple\n")
command.wait(timeout=40)
