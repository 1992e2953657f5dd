"""A thread shuts an HTTP server down, whose handler is busy for some seconds."""
# expect: none
# options: --hang-after 2

import http.server
import threading
import time
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        busy.set()
        until = time.monotonic() + 5
        while time.monotonic() < until:
            sum(range(10_000))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *words):
        pass


busy = threading.Event()
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=urllib.request.urlopen, args=(f"http://127.0.0.1:{server.server_port}/",)).start()
serving = threading.Thread(target=server.serve_forever)
serving.start()
busy.wait()
server.shutdown()
serving.join()
