/* The first of three workers reads to the end, which the two others, forked later, keep from coming: the parent waits. */
// expect: deadlock-cycle error
// within: 7
// outside: missing-sentinel error or deadlock-cycle error: what happened before
#include "lib.h"

static NOINLINE void read_all(int orders)
{
	char order;

	while (read(orders, &order, 1) > 0)
		;
	_exit(0);
}

static NOINLINE pid_t start_worker(int *orders_end)
{
	int orders[2];
	pid_t worker;

	must(pipe(orders) == 0);
	worker = fork();
	if (worker == 0) {
		close(orders[1]);
		read_all(orders[0]);
	}
	close(orders[0]);
	*orders_end = orders[1];
	return worker;
}

int main(void)
{
	int orders_end[3];
	pid_t worker[3];

	for (int i = 0; i < 3; i++)
		worker[i] = start_worker(&orders_end[i]);
	for (int i = 0; i < 3; i++) {
		close(orders_end[i]);
		must(waitpid(worker[i], NULL, 0) == worker[i]);
	}
	return 0;
}
