/*
 * The same with workers that choose their processors anew: what their parent may use is nothing to them. One
 * that has only one to choose from is left alone, too.
 */
// expect: none
// may: cpu-oversubscribed warning
// silent: affinity-inherited
// prints: nothing
#include <sched.h>
#include <time.h>

#include "lib.h"

#define WORKERS 3
#define WORK_NS 1300000000ll

static cpu_set_t set;

static void bind_to_one(void)
{
	cpu_set_t one;

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
			must(sched_setaffinity(0, sizeof(set), &set) == 0);
			while (worked() < WORK_NS)
				;
			_exit(0);
		}
	}
	for (int i = 0; i < WORKERS; i++)
		must(child_wait(worker[i]) == 0);
	return 0;
}
