"""For fork-server-threads.py: a module that starts a thread when it is imported."""

import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
