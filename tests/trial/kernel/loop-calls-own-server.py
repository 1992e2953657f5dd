"""A coroutine calls the server of its own event loop by a client that blocks: nobody accepts the connection."""
# expect: deadlock-cycle error
# within: 7
# says: call a server by a client of the same event loop

import asyncio
import socket


async def answer(reader, writer):
    writer.write(await reader.readline())
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    with socket.create_connection(server.sockets[0].getsockname()) as client:
        client.sendall(b"GET /health\n")
        print(client.recv(100))


asyncio.run(main())
