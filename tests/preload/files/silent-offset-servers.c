/*
 * Connections and forks in servers and clients as they should be: one listens, its children accept and speak alone; a
 * child reads what the parent writes over one connection; a child hands a connection back by ending.
 */
// expect: none
// silent: shared-file-offset
#include "lib.h"

#include <netinet/in.h>
#include <sys/socket.h>

static struct sockaddr_in at = {.sin_family = AF_INET};
static int listener;
static struct gate heard;

static void listens(void)
{
	socklen_t length = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	must(bind(listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(listener, 8) == 0);
	must(getsockname(listener, (struct sockaddr *)&at, &length) == 0);
}

static int connects(void)
{
	int connection = socket(AF_INET, SOCK_STREAM, 0);

	must(connect(connection, (struct sockaddr *)&at, sizeof(at)) == 0);
	return connection;
}

static void answers(int connection)
{
	char byte;

	must(read(connection, &byte, 1) == 1 && write(connection, &byte, 1) == 1);
}

static void asks(int connection)
{
	char byte = 'q';

	must(write(connection, &byte, 1) == 1 && read(connection, &byte, 1) == 1 && byte == 'q');
}

static pid_t serves(void)
{
	pid_t child = fork();

	if (child == 0) {
		answers(accept(listener, NULL, NULL));
		gate_wait(&heard);
		_exit(0);
	}
	return child;
}

/* The parent writes, the child reads: two halves of one client. */
static void halves(void)
{
	int connection = connects(), server = accept(listener, NULL, NULL);
	pid_t child = fork();
	char byte;

	if (child == 0) {
		must(read(connection, &byte, 1) == 1 && byte == 'h');
		_exit(0);
	}
	must(write(connection, "h", 1) == 1 && read(server, &byte, 1) == 1 &&
	     write(server, &byte, 1) == 1);
	must(child_wait(child) == 0);
	close(server);
	close(connection);
}

static void in_turn(void)
{
	int connection = connects(), server = accept(listener, NULL, NULL);
	pid_t child, answering = fork();

	if (answering == 0) {
		answers(server);
		answers(server);
		_exit(0);
	}
	child = fork();
	if (child == 0) {
		asks(connection);
		_exit(0);
	}
	must(child_wait(child) == 0);
	asks(connection);
	must(child_wait(answering) == 0);
}

int main(void)
{
	pid_t one, other;
	int first, second;

	listens();
	gate_init(&heard);
	one = serves();
	other = serves();
	first = connects();
	second = connects();
	asks(first);
	asks(second);
	gate_open(&heard);
	gate_open(&heard);
	must(child_wait(one) == 0 && child_wait(other) == 0);
	halves();
	in_turn();
	puts("done");
	return 0;
}
