/* A child polls a pipe for five seconds, in vain, while it has a flock; its parent waits for the flock. */
// expect: none
#include "lib.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

int main(void)
{
	FILE *file = tmpfile();
	char path[64];
	struct gate has_lock, never;
	pid_t child;
	int own;

	must(file != NULL);
	gate_init(&has_lock);
	gate_init(&never);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	child = fork();
	if (child == 0) {
		struct pollfd answer = {.fd = never.fd[0], .events = POLLIN};

		must(flock(fileno(file), LOCK_EX) == 0);
		gate_open(&has_lock);
		must(poll(&answer, 1, 5000) == 0);
		flock(fileno(file), LOCK_UN);
		_exit(0);
	}
	gate_wait(&has_lock);
	own = open(path, O_RDWR);
	must(own >= 0 && flock(own, LOCK_EX) == 0);
	must(waitpid(child, NULL, 0) == child);
	return 0;
}
