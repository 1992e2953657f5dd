/*
 * Threads that spawn shells, each of which executes another program in its place at once: the parent has not yet
 * recorded the spawn by then. argv[1]: shells for each thread.
 */
#include "../preload/lib.h"

#include <spawn.h>

#define THREADS 16

static int count;

static void *spawns(void *unused)
{
	char *arguments[] = {"sh", "-c", "exec true", NULL};
	int status;
	pid_t child;

	for (int i = 0; i < count; i++) {
		must(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
		must(waitpid(child, &status, 0) == child && status == 0);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	count = argc == 2 ? atoi(argv[1]) : 0;
	for (int i = 0; i < THREADS; i++)
		must(pthread_create(&thread[i], NULL, spawns, NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		must(pthread_join(thread[i], NULL) == 0);
	return 0;
}
