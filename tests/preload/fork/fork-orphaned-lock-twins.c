/*
 * A thread keeps two mutexes on the heap that one line initialised; the forked child waits for one of them, which is
 * told apart from the other.
 */
// expect: fork-orphaned-lock error
// may: fork-lock-held warning
// ends: never
// frames: child_wants
// says: mutex initialised at make (fork-orphaned-lock-twins.c:
// says: ) (0x
#include "lib.h"

static pthread_mutex_t *twin[2];

static NOINLINE pthread_mutex_t *make(void)
{
	pthread_mutex_t *made = malloc(sizeof(*made));

	must(made && pthread_mutex_init(made, NULL) == 0);
	return made;
}

static void take(void)
{
	must(pthread_mutex_lock(twin[0]) == 0);
	must(pthread_mutex_lock(twin[1]) == 0);
}

static NOINLINE void child_wants(void)
{
	must(pthread_mutex_lock(twin[0]) == 0);
}

int main(void)
{
	static struct keeper keeper = {.take = take};

	for (int i = 0; i < 2; i++)
		twin[i] = make();
	keeper_start(&keeper);
	return child_run(child_wants);
}
