"""A forked child that the kernel might have killed for want of memory, and that nobody joins."""
# expect: worker-failed warning
# says: killed itself by signal 9
import os
import signal
import time

if os.fork() == 0:
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(1.2)  # it stays in the kernel's table meanwhile
print("done")
