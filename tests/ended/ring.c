/*
 * Filters in a row, as a shell makes them, but careless with descriptors: each child has the ends of all pipes and waits for
 * what the root would send. `ring exec`: the children become another program. `ring pair`: two of them take two
 * process-shared mutexes in opposite orders, once the root has ended.
 */
#include "../preload/lib.h"

#define CHILDREN 3

static int pipes[CHILDREN][2];

static NOINLINE void filter(int at, char *program)
{
	char byte, number[8];

	if (program) {
		snprintf(number, sizeof(number), "%d", pipes[at][0]);
		execl(program, program, "child", number, NULL);
		_exit(127);
	}
	while (read(pipes[at][0], &byte, 1) == 1)
		must(write(pipes[(at + 1) % CHILDREN][1], &byte, 1) == 1);
	_exit(0);
}

struct pair {
	pthread_mutex_t mutex[2];
	pthread_barrier_t both;
};

static NOINLINE void takes_both(struct pair *pair, int first, int life)
{
	char byte;

	must(read(life, &byte, 1) == 0);
	must(pthread_mutex_lock(&pair->mutex[first]) == 0);
	pthread_barrier_wait(&pair->both);
	must(pthread_mutex_lock(&pair->mutex[!first]) == 0);
	_exit(0);
}

static void make_pair(void)
{
	struct pair *pair = shared_memory(sizeof(*pair));
	pthread_barrierattr_t attributes;
	int life[2];

	must(pipe(life) == 0);
	must(pthread_barrierattr_init(&attributes) == 0);
	must(pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
	must(pthread_barrier_init(&pair->both, &attributes, 2) == 0);
	for (int i = 0; i < 2; i++)
		mutex_of(&pair->mutex[i], PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED,
			 PTHREAD_MUTEX_STALLED);
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			close(life[1]);
			takes_both(pair, i, life[0]);
		}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "fork";
	char byte;

	if (!strcmp(how, "child"))
		return read(atoi(argv[2]), &byte, 1) == 1;
	if (!strcmp(how, "pair")) {
		make_pair();
	} else {
		for (int i = 0; i < CHILDREN; i++)
			must(pipe(pipes[i]) == 0);
		for (int i = 0; i < CHILDREN; i++)
			if (fork() == 0)
				filter(i, !strcmp(how, "exec") ? argv[0] : NULL);
	}
	printf("ready %d\n", getpid());
	fflush(stdout);
	sleep_ms(60000);
	return 0;
}
