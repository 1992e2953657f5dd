/*
 * A process is bound to one processor, as a library may do without being asked, and forks three workers with
 * work for more than a second each: they take turns there, whatever else the machine has.
 */
// expect: affinity-inherited warning
// may: cpu-oversubscribed warning
// frames: bind_to_one
// prints: nothing
#include <sched.h>
#include <time.h>

#include "lib.h"

#define WORKERS 3
#define WORK_NS 1300000000ll

static void bind_to_one(void)
{
	cpu_set_t set, one;

	must(sched_getaffinity(0, sizeof(set), &set) == 0);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &set))
			CPU_SET(i, &one);
	must(sched_setaffinity(0, sizeof(one), &one) == 0);
}

static long long worked(void)
{
	struct timespec time;

	must(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

int main(void)
{
	pid_t worker[WORKERS];

	bind_to_one();
	for (int i = 0; i < WORKERS; i++) {
		worker[i] = fork();
		if (worker[i] == 0) {
			while (worked() < WORK_NS)
				;
			_exit(0);
		}
	}
	for (int i = 0; i < WORKERS; i++)
		must(child_wait(worker[i]) == 0);
	return 0;
}
