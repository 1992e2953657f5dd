"""A child counts in shared memory between naps, while its parent does nothing but nap: the job goes on, although nobody reads or writes."""
# expect: none
# options: --hang-after 1

import multiprocessing
import os
import time

beats = multiprocessing.RawValue("i", 0)
child = os.fork()
if not child:
    for _ in range(160):
        time.sleep(0.1)
        beats.value += 1
    os._exit(0)
for _ in range(32):
    time.sleep(0.5)
os.waitpid(child, 0)
