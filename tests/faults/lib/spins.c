/* Runs in a loop that only tests a flag, or that counts, as its argument says; nothing ends it. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct job {
	long state, count;
};

static volatile int flag;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *rest_main(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&condition, &mutex);
	flag = 1;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *test_flag(void *unused)
{
	while (!flag)
		;
	return unused;
}

static void *test_pointer(void *job)
{
	while (!__atomic_load_n(&((struct job *)job)->state, __ATOMIC_RELAXED))
		;
	return job;
}

static void *count_pointer(void *at)
{
	struct job *job = at;

	while (!__atomic_load_n(&job->state, __ATOMIC_RELAXED))
		job->count++;
	return job;
}

/* Its child, which was to set the flag in their shared memory, has ended. */
static void *test_shared(void *unused)
{
	volatile int *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED || fork() == 0)
		_exit(0);
	while (!*shared)
		;
	return unused;
}

static void *yield(void *unused)
{
	while (!flag)
		sched_yield();
	return unused;
}

/* No register, nor the stack, has what it counts. */
static void *yield_and_count(void *unused)
{
	static volatile long count;

	while (!flag) {
		count++;
		sched_yield();
	}
	return unused;
}

static void *count_static(void *unused)
{
	static long count;

	while (!flag) {
		count++;
		__asm__ volatile("" ::: "memory");
	}
	return unused;
}

static void *sum(void *unused)
{
	static volatile long result;

	for (long all = 0; !flag; result = all)
		for (int i = 0; i < 1000; i++)
			all = all * 31 + i;
	return unused;
}

static const struct {
	const char *name;
	void *(*main)(void *);
	void *(*beside)(void *);
} ways[] = {
	{"flag", test_flag, rest_main},		{"flag-of-thread", NULL, test_flag},
	{"pointer", test_pointer, NULL},	{"counts", count_static, NULL},
	{"counts-in-job", count_pointer, NULL}, {"sums-in-thread", NULL, sum},
	{"shared", test_shared, NULL},		{"yields", yield, NULL},
	{"yields-in-thread", NULL, yield},	{"yields-and-counts", yield_and_count, NULL},
};

int main(int argc, char **argv)
{
	struct job *job = calloc(1, sizeof(*job));
	pthread_t thread;

	for (size_t i = 0; argc > 1 && job && i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(ways[i].name, argv[1]) != 0)
			continue;
		if (ways[i].beside)
			pthread_create(&thread, NULL, ways[i].beside, job);
		if (ways[i].main)
			ways[i].main(job);
		return pthread_join(thread, NULL);
	}
	return 2;
}
