/* posix_spawn opens a FIFO in the child before it executes its program; the parent would be the reader, once it returns. */
// expect: hang warning
// within: 6
// options: --hang-after 3
// says: its child to execute a program
// outside: nothing: that it lasts for longer than --hang-after
#include "lib.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>

extern char **environ;

int main(void)
{
	char path[64], *words[] = {"true", NULL};
	posix_spawn_file_actions_t actions;
	pid_t child;

	snprintf(path, sizeof(path), "/tmp/mpsan-test-fifo-%d", getpid());
	must(mkfifo(path, 0600) == 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY, 0);
	must(posix_spawn(&child, "/bin/true", &actions, NULL, words, environ) == 0);
	return open(path, O_RDONLY) < 0;
}
