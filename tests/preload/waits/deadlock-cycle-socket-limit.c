/*
 * A process sends into a connection until it is full. It has the other end itself, and reads nothing: what it waits for
 * cannot come before the socket's own limit runs out.
 */
// expect: deadlock-cycle error
// frames: fill
// says: gives up
// prints: nothing
#include "lib.h"

#include <sys/socket.h>
#include <sys/time.h>

static NOINLINE void fill(int socket)
{
	static char much[1 << 16];

	while (send(socket, much, sizeof(much), 0) > 0)
		;
	must(errno == EAGAIN);
}

int main(void)
{
	struct timeval limit = {4, 0};
	int pair[2];

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	must(setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
	fill(pair[0]);
	return 0;
}
