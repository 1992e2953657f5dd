/*
 * A logger writes in a thread of its own, from a queue with a bound, and a pool works under a mutex. A worker
 * logs while it has the pool's mutex and finds the queue full; the logger, before it writes, asks the pool for its
 * state, and needs that mutex. No two mutexes are in opposite orders: the other half of the circle is a condition
 * variable.
 */
// expect: deadlock-cycle error
// ends: never
// frames: logger_main worker_main pool_describe log_line
#include "threads.h"

enum { BOUND = 8, WORKERS = 3, TASKS = 64 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t room, filled;
	char lines[BOUND][64];
	int first, count;
} logbook = {.lock = PTHREAD_MUTEX_INITIALIZER,
	     .room = PTHREAD_COND_INITIALIZER,
	     .filled = PTHREAD_COND_INITIALIZER};

static struct {
	pthread_mutex_t lock;
	int next, done;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static NOINLINE void log_line(const char *what, int number)
{
	mutex_take(&logbook.lock);
	while (logbook.count == BOUND)
		must(pthread_cond_wait(&logbook.room, &logbook.lock) == 0);
	snprintf(logbook.lines[(logbook.first + logbook.count++) % BOUND], 64, "%s %d", what,
		 number);
	must(pthread_cond_signal(&logbook.filled) == 0);
	mutex_give(&logbook.lock);
}

static NOINLINE void pool_describe(char *text, size_t size)
{
	mutex_take(&pool.lock);
	snprintf(text, size, "%d of %d done", pool.done, pool.next);
	mutex_give(&pool.lock);
}

/* A line is taken out only after the state of the pool is known that goes before it. */
static NOINLINE void *logger_main(void *unused)
{
	char state[64];

	for (;;) {
		mutex_take(&logbook.lock);
		while (logbook.count == 0)
			must(pthread_cond_wait(&logbook.filled, &logbook.lock) == 0);
		mutex_give(&logbook.lock);
		pool_describe(state, sizeof(state));
		mutex_take(&logbook.lock);
		printf("[%s] %s\n", state, logbook.lines[logbook.first]);
		logbook.first = (logbook.first + 1) % BOUND;
		logbook.count--;
		must(pthread_cond_signal(&logbook.room) == 0);
		mutex_give(&logbook.lock);
	}
	return unused;
}

/* A worker that finds a whole batch hands it out in one go, a line for each task, more than the queue can hold. */
static NOINLINE void *worker_main(void *unused)
{
	mutex_take(&pool.lock);
	while (pool.next < TASKS) {
		log_line("start task", pool.next++);
		pool.done++;
	}
	mutex_give(&pool.lock);
	return unused;
}

int main(void)
{
	pthread_t workers[WORKERS];

	thread_start(logger_main);
	for (int i = 0; i < WORKERS; i++)
		workers[i] = thread_start(worker_main);
	for (int i = 0; i < WORKERS; i++)
		thread_join(workers[i]);
	printf("%d tasks done\n", pool.done);
	return 0;
}
