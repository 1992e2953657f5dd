/*
 * Parent and child talk over a socketpair(): a question, an answer. Then each waits for the other to begin, and nobody
 * else has either end.
 */
// expect: deadlock-cycle error
// ends: never
// frames: hear
// says: data from a socket
#include "threads.h"

#include <sys/socket.h>

static NOINLINE void hear(int socket)
{
	char word;

	must(recv(socket, &word, 1, 0) == 1);
}

static NOINLINE void say(int socket)
{
	must(send(socket, "w", 1, 0) == 1);
}

int main(void)
{
	int pair[2];
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	child = fork();
	if (child == 0) {
		must(close(pair[0]) == 0);
		hear(pair[1]);
		say(pair[1]);
		hear(pair[1]);
		_exit(0);
	}
	must(close(pair[1]) == 0);
	say(pair[0]);
	hear(pair[0]);
	hear(pair[0]);
	return child_wait(child);
}
