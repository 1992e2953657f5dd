"""A forked child that crashes, and a wait whose answer is thrown away."""
# expect: worker-failed warning
# says: killed itself by signal 7
import os
import signal

pid = os.fork()
if pid == 0:
    signal.raise_signal(signal.SIGBUS)
os.waitpid(pid, 0)
print("done")
