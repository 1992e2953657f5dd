/*
 * A thread holds a lock while the main thread uses posix_spawn, system and popen: no copy of the process
 * runs in any of them.
 */
// expect: none
#include "lib.h"

#include <spawn.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
	must(pthread_mutex_lock(&lock) == 0);
}

static void give(void)
{
	must(pthread_mutex_unlock(&lock) == 0);
}

static void by_posix_spawn(void)
{
	char *arguments[] = {"sh", "-c", "sleep 1.3; echo spawned", NULL};
	pid_t child;

	must(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
	must(child_wait(child) == 0);
}

static void by_popen(void)
{
	FILE *pipe_end = popen("sleep 1.3; echo opened", "r");
	char line[16] = "";

	must(pipe_end != NULL);
	must(fgets(line, sizeof(line), pipe_end) != NULL);
	must(strcmp(line, "opened\n") == 0);
	must(pclose(pipe_end) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = take, .give = give};

	keeper_start(&keeper);
	by_posix_spawn();
	must(system("sleep 1.3; echo by system") == 0);
	by_popen();
	keeper_stop(&keeper);
	return 0;
}
