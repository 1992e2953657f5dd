/*
 * vfork after vfork: argv[1] is how the child ends (exec or exit), argv[2] how often, argv[3] in how many threads at
 * the same time. Thread-local memory and errno of the parent must be as before: the child runs on them.
 */
#include "../preload/lib.h"

static __thread long local[4] = {11, 22, 33, 44};
static int times, execs;
static long done;

static void check_untouched(void)
{
	must(local[0] == 11 && local[1] == 22 && local[2] == 33 && local[3] == 44);
}

static void vfork_once(void)
{
	static char *const argv[] = {"true", NULL};
	pid_t child = vfork();

	if (child == 0) {
		if (execs)
			execv("/bin/true", argv);
		_exit(execs ? 127 : 7);
	}
	must(child_wait(child) == (execs ? 0 : 7));
	check_untouched();
	__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

static void *vfork_often(void *argument)
{
	for (int i = 0; i < times; i++)
		vfork_once();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread[64];
	int threads = argc > 3 ? atoi(argv[3]) : 0;

	must(argc > 2 && threads <= 64);
	execs = !strcmp(argv[1], "exec");
	times = atoi(argv[2]);
	if (!threads)
		vfork_often(NULL);
	for (int i = 0; i < threads; i++)
		must(pthread_create(&thread[i], NULL, vfork_often, NULL) == 0);
	for (int i = 0; i < threads; i++)
		must(pthread_join(thread[i], NULL) == 0);
	printf("%ld\n", done);
	return 0;
}
