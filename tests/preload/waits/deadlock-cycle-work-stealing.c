/*
 * Four workers with a queue and a lock each. Who has nothing left steals from its neighbour, and locks its own queue
 * first, then that of the neighbour, to move half of the tasks. When all run dry at once, the locks form a ring.
 */
// expect: deadlock-cycle error
// ends: never
// frames: worker_main steal_half
#include "threads.h"

enum { WORKERS = 4, TASKS = 100 };

struct worker {
	pthread_mutex_t lock;
	pthread_t thread;
	int tasks[2 * TASKS];
	int count;
	long sum;
};

static struct worker workers[WORKERS];
static struct meeting all_dry;

static bool pop(struct worker *self, int *task)
{
	bool found;

	mutex_take(&self->lock);
	found = self->count > 0;
	if (found)
		*task = self->tasks[--self->count];
	mutex_give(&self->lock);
	return found;
}

static NOINLINE int steal_half(struct worker *thief, struct worker *victim)
{
	int stolen;

	mutex_take(&thief->lock);
	meet(&all_dry);
	mutex_take(&victim->lock);
	stolen = (victim->count + 1) / 2;
	for (int i = 0; i < stolen; i++)
		thief->tasks[thief->count++] = victim->tasks[--victim->count];
	mutex_give(&victim->lock);
	mutex_give(&thief->lock);
	return stolen;
}

static NOINLINE void *worker_main(void *argument)
{
	struct worker *self = argument;
	struct worker *neighbour = &workers[(self - workers + 1) % WORKERS];
	int task;

	do
		while (pop(self, &task))
			self->sum += task;
	while (steal_half(self, neighbour) > 0);
	return NULL;
}

static long run_all(void)
{
	long sum = 0;

	for (int i = 0; i < WORKERS; i++)
		must(pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) == 0);
	for (int i = 0; i < WORKERS; i++) {
		thread_join(workers[i].thread);
		sum += workers[i].sum;
	}
	return sum;
}

int main(void)
{
	meeting_init(&all_dry, WORKERS);
	for (int i = 0; i < WORKERS; i++) {
		must(pthread_mutex_init(&workers[i].lock, NULL) == 0);
		for (int task = 0; task < TASKS; task++)
			workers[i].tasks[workers[i].count++] = task;
	}
	printf("sum %ld\n", run_all());
	return 0;
}
