"""That cure: the collector leaves alone what was frozen before the fork, and the worker ends at once."""
# expect: none
# silent: cow-growth
# pythons: all
# prints: 0
import gc
import os

PAIRS = [[number] for number in range(1_000_000)]
gc.freeze()
pid = os.fork()
if pid == 0:
    gc.collect()
    os._exit(len(PAIRS) != 1_000_000)
print(os.waitpid(pid, 0)[1])
