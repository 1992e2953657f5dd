"""A program is awaited before its output is read: it cannot end while the pipe is full."""
# expect: join-before-drain error
# ends: never
# says: which first has to write its output to a full pipe
# says: communicate()
import subprocess
import sys

writer = subprocess.Popen([sys.executable, "-c", "print('x' * 300_000)"], stdout=subprocess.PIPE)
writer.wait()
