"""A program asks another one by its exit status, and looks at it only after the rest of its work."""
# expect: none
# options: --hang-after=5

import subprocess
import time

search = subprocess.Popen(["grep", "-q", "no such line", "/etc/hostname"])
time.sleep(12)
print(search.wait())
