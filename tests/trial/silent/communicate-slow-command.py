"""communicate() with a command that reads all its input, thinks for five seconds and answers."""
# expect: none

import subprocess
import sys

code = "import sys, time; text = sys.stdin.read(); time.sleep(5); print(len(text))"
command = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
print(command.communicate(b"x" * 300000, timeout=30)[0])
