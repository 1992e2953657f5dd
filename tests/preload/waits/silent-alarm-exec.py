"""A program sets an alarm and becomes another one, as a launcher with a time limit does: the limit ends the wait of the
main thread for a thread that waits for the main thread's lock."""
# expect: none
# pythons: all

import os
import signal
import subprocess
import sys
import threading

if len(sys.argv) == 1:
    for set_limit in ("signal.alarm(2)", "signal.setitimer(signal.ITIMER_REAL, 1.9)"):
        code = f"import os, signal, sys; {set_limit}; os.execv(sys.executable, [sys.executable, {__file__!r}, 'park'])"
        print(subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGALRM, flush=True)
    sys.exit()

lock, news = threading.Lock(), threading.Condition()
with lock:
    threading.Thread(target=lock.acquire, daemon=True).start()
    with news:
        news.wait()
