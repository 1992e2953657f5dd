/* A line waits in a buffer when the process forks, and the child ends by exit: the line appears twice. */
// expect: none
// note: fork-unflushed-stdio
// says: in a stdio buffer at the fork
#include "lib.h"

static char buffer[4096];

int main(void)
{
	pid_t child;

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	printf("a line of the parent\n");
	child = fork();
	if (child == 0) {
		printf("a line of the child\n");
		exit(0);
	}
	return child_wait(child);
}
