"""The parent gives a command forty seconds to end, whose output fills a pipe that the parent reads afterwards."""
# expect: join-before-drain error
# within: 9
# outside: nothing: how often it asked, and when its limit began

import subprocess
import sys


def run(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        status = process.wait(timeout=40)
        return status, process.stdout.read()


print(run([sys.executable, "-c", "print('x' * 300000)"]))
