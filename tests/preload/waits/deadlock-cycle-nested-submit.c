/*
 * A pool of two threads, which has done a task before. Each of two tasks submits a part of its work to the same pool and waits for it: there is
 * no thread left to do the parts. Everybody waits on condition variables, nobody holds a mutex.
 */
// expect: deadlock-cycle error
// ends: never
// frames: task_wait pool_main whole_task
#include "threads.h"

enum { THREADS = 2, QUEUE = 16 };

struct task {
	void (*body)(struct task *self);
	bool done;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled, finished;
	struct task *queue[QUEUE];
	int first, last;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
	  .filled = PTHREAD_COND_INITIALIZER,
	  .finished = PTHREAD_COND_INITIALIZER};

static struct meeting both_run;

static void submit(struct task *task)
{
	mutex_take(&pool.lock);
	pool.queue[pool.last++ % QUEUE] = task;
	must(pthread_cond_signal(&pool.filled) == 0);
	mutex_give(&pool.lock);
}

static NOINLINE void task_wait(struct task *task)
{
	mutex_take(&pool.lock);
	while (!task->done)
		must(pthread_cond_wait(&pool.finished, &pool.lock) == 0);
	mutex_give(&pool.lock);
}

static NOINLINE void *pool_main(void *unused)
{
	for (;;) {
		struct task *task;

		mutex_take(&pool.lock);
		while (pool.first == pool.last)
			must(pthread_cond_wait(&pool.filled, &pool.lock) == 0);
		task = pool.queue[pool.first++ % QUEUE];
		mutex_give(&pool.lock);
		task->body(task);
		mutex_take(&pool.lock);
		task->done = true;
		must(pthread_cond_broadcast(&pool.finished) == 0);
		mutex_give(&pool.lock);
	}
	return unused;
}

static void part_task(struct task *self)
{
	(void)self;
}

static void first_task(struct task *self)
{
	(void)self;
	until_asleep(getpid(), getpid());
}

static NOINLINE void whole_task(struct task *self)
{
	struct task part = {.body = part_task};

	(void)self;
	meet(&both_run);
	submit(&part);
	task_wait(&part);
}

int main(void)
{
	struct task first = {.body = first_task},
		    tasks[2] = {{.body = whole_task}, {.body = whole_task}};

	meeting_init(&both_run, THREADS);
	for (int i = 0; i < THREADS; i++)
		thread_start(pool_main);
	submit(&first);
	task_wait(&first);
	for (int i = 0; i < 2; i++)
		submit(&tasks[i]);
	for (int i = 0; i < 2; i++)
		task_wait(&tasks[i]);
	puts("both tasks done");
	return 0;
}
