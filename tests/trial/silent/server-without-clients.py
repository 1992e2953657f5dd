"""A threaded TCP server to which nobody connects, until Ctrl-C."""
# expect: none
# stop: SIGINT 4

import socketserver


class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.readline())


with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("closed")
