/*
 * Two children seek and read in a file that their parent opened: they have one offset between them. They take turns
 * here, so that the output is always the same; nothing in the program makes them.
 */
// expect: shared-file-offset warning
// frames: reads_at
// says: share one offset in
#include "lib.h"

#include <fcntl.h>

static struct gate first, second;
static int file;

static NOINLINE char reads_at(off_t place)
{
	char byte = 0;

	must(lseek(file, place, SEEK_SET) == place);
	must(read(file, &byte, 1) == 1);
	return byte;
}

static void one(void)
{
	must(reads_at(1) == 'b');
	gate_open(&second);
	gate_wait(&first);
}

static void other(void)
{
	gate_wait(&second);
	must(reads_at(2) == 'c');
	gate_open(&first);
}

static pid_t start(void (*body)(void))
{
	pid_t child = fork();

	if (child == 0) {
		body();
		_exit(0);
	}
	return child;
}

int main(void)
{
	char name[] = "/tmp/mpsan-offset-XXXXXX";
	pid_t a, b;

	file = mkstemp(name);
	must(file >= 0 && unlink(name) == 0 && write(file, "abcdef", 6) == 6);
	gate_init(&first);
	gate_init(&second);
	a = start(one);
	b = start(other);
	must(child_wait(a) == 0 && child_wait(b) == 0);
	puts("done");
	return 0;
}
