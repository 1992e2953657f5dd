/*
 * A private semaphore serves as a signal: a thread waits, another one posts. The thread that was woken seems
 * to hold it at the fork, and holds nothing.
 */
// expect: none
#include "lib.h"

#include <semaphore.h>

static sem_t signal_of_work;
static struct gate woken, stop;

static void *worker_main(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		must(sem_wait(&signal_of_work) == 0);
		gate_open(&woken);
	}
	gate_wait(&stop);
	return NULL;
}

int main(void)
{
	pthread_t worker;
	int status;

	gate_init(&woken);
	gate_init(&stop);
	must(sem_init(&signal_of_work, 0, 0) == 0);
	must(pthread_create(&worker, NULL, worker_main, NULL) == 0);
	for (int i = 0; i < 3; i++) {
		must(sem_post(&signal_of_work) == 0);
		gate_wait(&woken);
	}
	status = child_run(live_on);
	gate_open(&stop);
	must(pthread_join(worker, NULL) == 0);
	return status;
}
