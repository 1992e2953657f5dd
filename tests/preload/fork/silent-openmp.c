// Uses of libgomp on both sides of a fork that end well, each in a process of its own: the pool is another thread's, or
// has been ended, or one side asks for one thread only, or the parent has no pool at all.
// expect: none
// link: -fopenmp
#include "lib.h"

#include <omp.h>

static int sum;

static NOINLINE void use_pool(int threads)
{
	sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	must(sum == 4950);
}

static NOINLINE void use_preset(void)
{
	sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
	for (int i = 0; i < 100; i++)
		sum += i;
	must(sum == 4950);
}

/* Longer than a region may last that was stated as one that never ends. */
static NOINLINE void use_pool_long(int threads)
{
#pragma omp parallel num_threads(threads)
	sleep_ms(WAIT_JUDGED_MS);
}

static void in_child(void)
{
	use_pool_long(4);
	use_pool(4);
}

static void one_in_child(void)
{
	use_pool_long(1);
	omp_set_num_threads(1);
	use_preset();
}

static void *use_in_thread(void *over)
{
	use_pool_long(4);
	if (over) {
		gate_open(over);
		pause();
	}
	return NULL;
}

static void other_in_child(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, use_in_thread, NULL) == 0);
	must(pthread_join(thread, NULL) == 0);
}

static void living_thread(void)
{
	struct gate used;
	pthread_t thread;

	gate_init(&used);
	must(pthread_create(&thread, NULL, use_in_thread, &used) == 0);
	gate_wait(&used);
	must(child_run(in_child) == 0);
}

static void ended_thread(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, use_in_thread, NULL) == 0);
	must(pthread_join(thread, NULL) == 0);
	must(child_run(in_child) == 0);
}

static void one_in_parent(void)
{
	use_pool(1);
	must(child_run(in_child) == 0);
}

static void child_of_one(void)
{
	use_pool(4);
	must(child_run(one_in_child) == 0);
}

static void child_with_thread(void)
{
	use_pool(4);
	must(child_run(other_in_child) == 0);
}

static void paused(void)
{
	use_pool(4);
	must(omp_pause_resource_all(omp_pause_soft) == 0);
	must(child_run(in_child) == 0);
	use_pool(4);
	must(omp_pause_resource(omp_pause_hard, omp_get_initial_device()) == 0);
	must(child_run(in_child) == 0);
}

static void never_before(void)
{
	must(child_run(in_child) == 0);
	use_pool(4);
}

/* As under OMP_MAX_ACTIVE_LEVELS=0: every region has one thread. */
static void no_levels(void)
{
	omp_set_max_active_levels(0);
	use_pool(4);
	must(child_run(in_child) == 0);
}

/* With a limit, or dynamic teams, the runtime decides. */
static void dynamic(void)
{
	omp_set_dynamic(1);
	omp_set_num_threads(1);
	use_preset();
	must(child_run(one_in_child) == 0);
}

/* A region inside another has threads of its own, which end with it. */
static void inside_another(void)
{
#pragma omp parallel num_threads(1)
	use_pool(4);
	must(child_run(in_child) == 0);
}

int main(void)
{
	static void (*const scene[])(void) = {
		living_thread, ended_thread, one_in_parent, child_of_one, child_with_thread,
		paused,	       never_before, no_levels,	    dynamic,	  inside_another};

	pid_t child[sizeof(scene) / sizeof(*scene)];

	for (size_t i = 0; i < sizeof(scene) / sizeof(*scene); i++) {
		child[i] = fork();
		if (child[i] == 0) {
			scene[i]();
			_exit(0);
		}
	}
	for (size_t i = 0; i < sizeof(scene) / sizeof(*scene); i++)
		must(child_wait(child[i]) == 0);
	return 0;
}
