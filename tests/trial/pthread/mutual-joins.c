/* Three threads in a ring, each of which joins the next one. */
// expect: deadlock-cycle error
// within: 6
#include "threads.h"

static pthread_t stage[3];
static struct gate may_join[3];

static NOINLINE void *run_stage(void *number)
{
	intptr_t mine = (intptr_t)number;

	gate_wait(&may_join[mine]);
	thread_join(stage[(mine + 1) % 3]);
	return NULL;
}

int main(void)
{
	for (intptr_t i = 0; i < 3; i++) {
		gate_init(&may_join[i]);
		must(pthread_create(&stage[i], NULL, run_stage, (void *)i) == 0);
	}
	for (int i = 0; i < 3; i++)
		gate_open(&may_join[i]);
	pthread_exit(NULL);
}
