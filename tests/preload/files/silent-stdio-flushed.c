/*
 * Forks with stdio in order: the buffer was flushed before; the child ends without writing it; the child throws away
 * what it has of it; a child writes what is its own.
 */
// expect: none
// silent: fork-unflushed-stdio
#include "lib.h"

#include <stdio_ext.h>

static char buffer[4096];

static void nothing(void)
{
}

static void child_discards(void)
{
	__fpurge(stdout);
	printf("a line of the child\n");
	exit(0);
}

static void child_prints(void)
{
	printf("another line of a child\n");
	fflush(stdout);
}

int main(void)
{
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	printf("first\n");
	must(child_run(nothing) == 0);
	must(child_run(child_discards) == 0);
	fflush(stdout);
	must(child_run(child_prints) == 0);
	printf("last\n");
	return 0;
}
