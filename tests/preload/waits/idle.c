/*
 * Programs that wait to be interrupted, each in its own way: what is given as argument says which. Nobody in
 * them was ever meant to end that wait, but for a handler, if there is a second argument. test_idle.py interrupts them.
 */
#include "threads.h"

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static sem_t items, stop;
static bool ready;

static void *consume_cond(void *unused)
{
	mutex_take(&lock);
	while (!ready)
		must(pthread_cond_wait(&filled, &lock) == 0);
	mutex_give(&lock);
	return unused;
}

static void *consume_sem(void *unused)
{
	must(sem_wait(&items) == 0);
	return unused;
}

static void *nothing(void *unused)
{
	return unused;
}

static void join_cond(void)
{
	thread_join(thread_start(consume_cond));
}

static void join_two(void)
{
	pthread_t first = thread_start(consume_sem);

	thread_start(consume_sem);
	thread_join(first);
}

static void after_warm_up(void)
{
	thread_join(thread_start(nothing));
	thread_join(thread_start(consume_sem));
}

static void wait_cond(void)
{
	consume_cond(NULL);
}

static void wait_sem(void)
{
	thread_start(consume_cond);
	must(sem_wait(&stop) == 0);
}

static void leave_main(void)
{
	thread_start(consume_sem);
	pthread_exit(NULL);
}

static void wait_signal(void)
{
	thread_start(consume_sem);
	pause();
}

static void wait_child(void)
{
	struct gate gate;
	char byte;

	gate_init(&gate);
	if (!fork())
		_exit(read(gate.fd[0], &byte, 1) == 1);
	wait(NULL);
}

/* Two processes wait at one condition variable, at different addresses. */
static void share_cond(void)
{
	struct shared {
		pthread_mutex_t lock;
		pthread_cond_t filled;
	} *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	pthread_mutexattr_t of_lock;
	pthread_condattr_t of_cond;

	pthread_mutexattr_init(&of_lock);
	pthread_mutexattr_setpshared(&of_lock, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &of_lock);
	pthread_condattr_init(&of_cond);
	pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->filled, &of_cond);
	if (!fork())
		shared = mremap(shared, sizeof(*shared), sizeof(*shared),
				MREMAP_MAYMOVE | MREMAP_FIXED, aligned_alloc(4096, 4096));
	mutex_take(&shared->lock);
	while (!ready)
		must(pthread_cond_wait(&shared->filled, &shared->lock) == 0);
}

static void fork_cond(void)
{
	if (!fork())
		consume_cond(NULL);
	wait(NULL);
}

static void meet_nobody(void)
{
	pthread_barrier_t barrier;

	must(pthread_barrier_init(&barrier, NULL, 2) == 0);
	pthread_barrier_wait(&barrier);
}

static const struct {
	const char *name;
	void (*run)(void);
} way[] = {
	{"join_cond", join_cond},	  {"join_two", join_two},
	{"after_warm_up", after_warm_up}, {"wait_cond", wait_cond},
	{"wait_sem", wait_sem},		  {"leave_main", leave_main},
	{"wait_signal", wait_signal},	  {"wait_child", wait_child},
	{"share_cond", share_cond},	  {"fork_cond", fork_cond},
	{"meet_nobody", meet_nobody},
};

static void go_on(int number)
{
	(void)number;
}

int main(int argc, char **argv)
{
	must(argc < 3 || signal(SIGTERM, go_on) != SIG_ERR);
	must(sem_init(&items, 0, 0) == 0 && sem_init(&stop, 0, 0) == 0);
	for (size_t i = 0; argc > 1 && i < sizeof(way) / sizeof(*way); i++)
		if (!strcmp(argv[1], way[i].name))
			way[i].run();
	return 4;
}
