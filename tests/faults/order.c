/* Opens the libraries that it is given, forks once and ends: tests/faults/lib/registrant.c says what is looked at. */
#include "../preload/lib.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
	pid_t child;

	for (int i = 1; i < argc; i++)
		must(dlopen(argv[i], RTLD_NOW) != NULL);
	child = fork();
	if (child == 0)
		_exit(0);
	return child_wait(child);
}
