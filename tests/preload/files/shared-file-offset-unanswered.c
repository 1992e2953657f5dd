/*
 * Parent and child share a connection. Each begins with a message that is not answered; then one asks and reads its
 * answer after the other. Nothing but this program's gates makes them, but no answer was ever in danger.
 */
// expect: shared-file-offset warning
// frames: hears
// says: what one reads the other misses
#include "tcp_pair.h"

static int connection, server;
static struct gate greeted, heard;

static NOINLINE void says(const char *what)
{
	must(send(connection, what, 1, 0) == 1);
}

static NOINLINE void hears(void)
{
	char byte;

	must(read(server, &byte, 1) == 1 && byte == '?' && send(server, "!", 1, 0) == 1);
	must(recv(connection, &byte, 1, 0) == 1 && byte == '!');
}

static void is_greeted(unsigned times)
{
	char byte;

	for (; times; times--)
		must(read(server, &byte, 1) == 1 && byte == '.');
}

int main(void)
{
	pid_t child;

	tcp_pair(&connection, &server);
	gate_init(&greeted);
	gate_init(&heard);
	child = fork();
	if (child == 0) {
		says(".");
		gate_open(&greeted);
		gate_wait(&heard);
		says("?");
		hears();
		gate_open(&greeted);
		gate_wait(&heard);
		_exit(0);
	}
	says(".");
	gate_wait(&greeted);
	is_greeted(2);
	says("?");
	hears();
	gate_open(&heard);
	gate_wait(&greeted);
	gate_open(&heard);
	must(child_wait(child) == 0);
	puts("done");
	return 0;
}
