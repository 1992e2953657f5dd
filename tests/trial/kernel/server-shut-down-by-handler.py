"""A request tells an HTTP server to stop: its handler calls shutdown(), which waits for the loop that runs the handler."""
# expect: deadlock-cycle error
# within: 7
# says: the end of serve_forever
# says: call shutdown\(\) while serve_forever\(\) runs, and from another thread

import http.server
import threading
import urllib.request


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        if self.path == "/quit":
            self.server.shutdown()

    def log_message(self, *words):
        pass


def main():
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=urllib.request.urlopen, args=(f"http://127.0.0.1:{server.server_port}/quit",)).start()
    server.serve_forever()


main()
