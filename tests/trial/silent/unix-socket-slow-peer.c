/* poll() with a limit on a socket pair whose other end answers after four seconds. */
// expect: none
#include "lib.h"
#include <poll.h>
#include <sys/socket.h>

int main(void)
{
	struct pollfd answer;
	char byte;
	int pair[2];
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	child = fork();
	if (child == 0) {
		sleep(4);
		_exit(write(pair[1], "", 1) != 1);
	}
	answer = (struct pollfd){.fd = pair[0], .events = POLLIN};
	while (poll(&answer, 1, 500) == 0)
		;
	must(read(pair[0], &byte, 1) == 1);
	must(waitpid(child, NULL, 0) == child);
	return 0;
}
