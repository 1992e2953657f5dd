/*
 * A connection that was made before a fork is used by both sides, and both have a question under way when the answers
 * come.
 */
// expect: shared-file-offset error
// frames: hears
// says: each may get the other's reply
#include "tcp_pair.h"

static int connection, server;
static struct gate child_asked, child_heard, parent_heard;

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

	tcp_pair(&connection, &server);
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
