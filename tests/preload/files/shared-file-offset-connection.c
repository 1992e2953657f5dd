/*
 * A connection that was made before a fork is used by both sides, and both have a question under way when the answers
 * come.
 */
// expect: shared-file-offset error
// frames: hears
// says: each may get the other's reply
#include "lib.h"

#include <netinet/in.h>
#include <sys/socket.h>

static int connection, server;
static struct gate child_asked, child_heard, parent_heard;

static void connects(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	must(bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 1) == 0);
	must(getsockname(listener, (struct sockaddr *)&at, &length) == 0);
	connection = socket(AF_INET, SOCK_STREAM, 0);
	must(connect(connection, (struct sockaddr *)&at, sizeof(at)) == 0);
	server = accept(listener, NULL, NULL);
	must(server >= 0);
}

static NOINLINE void asks(void)
{
	must(send(connection, "?", 1, 0) == 1);
}

static NOINLINE void hears(void)
{
	char byte;

	must(recv(connection, &byte, 1, 0) == 1 && byte == '!');
}

int main(void)
{
	pid_t child;
	char bytes[2];

	connects();
	gate_init(&child_asked);
	gate_init(&child_heard);
	gate_init(&parent_heard);
	child = fork();
	if (child == 0) {
		asks();
		gate_open(&child_asked);
		gate_wait(&parent_heard);
		hears();
		gate_open(&child_heard);
		gate_wait(&parent_heard);
		_exit(0);
	}
	asks();
	gate_wait(&child_asked);
	must(recv(server, bytes, 2, MSG_WAITALL) == 2 && send(server, "!!", 2, 0) == 2);
	hears();
	gate_open(&parent_heard);
	gate_wait(&child_heard);
	gate_open(&parent_heard);
	must(child_wait(child) == 0);
	puts("done");
	return 0;
}
