"""Started in the background, with SIGINT ignored: a server without clients."""
# expect: none
# options: --hang-after 2
# stop: SIGTERM 5

import http.server
import signal
import threading

signal.signal(signal.SIGINT, signal.SIG_IGN)
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
thread = threading.Thread(target=server.serve_forever, daemon=True)
thread.start()
thread.join()
