/* The main thread closes the connection and joins the thread that reads from it, which close() does not wake; its peer waits. */
// expect: hang warning
// within: 7
// options: --hang-after 3
// says: which its process has closed
// outside: nothing: that it lasts for longer than --hang-after
#include "threads.h"
#include <sys/socket.h>
#include <sys/wait.h>

static int ends[2];

static NOINLINE void *receive(void *unused)
{
	char byte;

	return read(ends[0], &byte, 1) < 0 ? unused : NULL;
}

int main(void)
{
	pthread_t reader;
	char byte;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	if (fork() == 0) {
		close(ends[0]);
		_exit(read(ends[1], &byte, 1) < 0);
	}
	close(ends[1]);
	reader = thread_start(receive);
	usleep(500000);
	close(ends[0]);
	thread_join(reader);
	return wait(NULL) < 0;
}
