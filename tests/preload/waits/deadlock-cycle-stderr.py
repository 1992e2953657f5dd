"""A program's output is read to its end while it fills the pipe of its messages, which nobody reads."""
# expect: deadlock-cycle error
# ends: never
# says: whoever would write into the pipe waits for room in another pipe, which nobody reads
# says: stderr=subprocess.STDOUT
import subprocess
import sys

writer = subprocess.Popen([sys.executable, "-c", "import sys; sys.stderr.write('x' * 300_000)"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
writer.stdout.read()
