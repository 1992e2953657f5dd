/*
 * Execs that fail with EFAULT, by every way: a path, a list or an environment that cannot be read to its end. Prints one line for
 * each; the last one has no environment at all, and succeeds.
 *
 * usage: bad_exec [PROGRAM]
 */
#define _GNU_SOURCE 1

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static char *volatile nowhere = (char *)8;
static char *arguments[] = {"true", NULL}, *bad[] = {"true", (char *)8, NULL};

/* The last bytes before a page that is not mapped. */
static char *before_hole(const void *bytes, size_t count)
{
	char *memory =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(memory + PAGE, PAGE);
	return memcpy(memory + PAGE - count, bytes, count);
}

static void tell(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	fflush(stdout);
}

/* In a child that shares this memory. */
static void vforked(char **argv)
{
	pid_t child = vfork();

	if (child == 0) {
		execve("/bin/true", argv, environ);
		_exit(errno);
	}
	waitpid(child, &(int){0}, 0);
}

int main(int argc, char **argv)
{
	char *path = before_hole("/bin/true", 9), *lines[] = {"A=1", "B=2"};
	char **list = (char **)(void *)before_hole(lines, sizeof(lines));

	execve(nowhere, arguments, environ);
	tell("execve");
	execv(path, arguments);
	tell("execv");
	execl(nowhere, "true", NULL);
	tell("execl");
	syscall(0x7fff); /* sets errno to something else */
	execveat(AT_FDCWD, nowhere, arguments, environ, 0);
	tell("execveat");
	execve("/bin/true", bad, environ);
	tell("a list");
	execve("/bin/true", arguments, list);
	tell("an environment");
	vforked(bad);
	if (argc > 1)
		execve(argv[1], arguments, NULL);
	return 0;
}
