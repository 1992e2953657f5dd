/*
 * A child works on none of the 96 MiB that it inherited, and its exit handler writes to all of them: a note about its end.
 */
// expect: none
// note: cow-growth
// says: when they ended
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (96ul << 20)

static char *memory;

static void write_all(void)
{
	memset(memory, 2, BYTES);
}

int main(void)
{
	memory = malloc(BYTES);
	memset(memory, 1, BYTES);
	if (fork() == 0) {
		atexit(write_all);
		exit(0);
	}
	wait(NULL);
	return 0;
}
