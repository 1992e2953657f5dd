/*
 * Two process-shared mutexes in shared memory, taken in opposite orders by a parent and its child.
 */
// expect: deadlock-cycle error
// ends: never
// frames: parent_moves child_moves
#include "threads.h"

struct table {
	pthread_mutex_t left, right;
	struct meeting both_have_one;
};

static struct table *table;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	mutex_take(first);
	meet(&table->both_have_one);
	mutex_take(second);
	mutex_give(second);
	mutex_give(first);
}

static NOINLINE void parent_moves(void)
{
	take_both(&table->left, &table->right);
}

static NOINLINE void child_moves(void)
{
	take_both(&table->right, &table->left);
}

int main(void)
{
	pid_t child;

	table = shared_memory(sizeof(*table));
	mutex_of(&table->left, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_STALLED);
	mutex_of(&table->right, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED,
		 PTHREAD_MUTEX_STALLED);
	meeting_init(&table->both_have_one, 2);
	child = fork();
	if (child == 0) {
		child_moves();
		_exit(0);
	}
	parent_moves();
	return child_wait(child);
}
