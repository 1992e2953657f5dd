/* Waits with a time limit, in a child with one thread: all of them end by themselves. */
// expect: none
#include "lib.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <threads.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static mtx_t lock11;
static cnd_t changed11;
static sem_t go;
static unsigned word;

static void *idle_main(void *gate)
{
	gate_wait(gate);
	return NULL;
}

static void child_waits(void)
{
	struct timespec at = realtime_in_ms(WAIT_JUDGED_MS), left = {0, WAIT_JUDGED_MS * 1000000};

	must(pthread_mutex_lock(&lock) == 0);
	must(pthread_cond_timedwait(&changed, &lock, &at) == ETIMEDOUT);
	at = realtime_in_ms(WAIT_JUDGED_MS);
	must(pthread_cond_clockwait(&changed, &lock, CLOCK_REALTIME, &at) == ETIMEDOUT);
	at = realtime_in_ms(WAIT_JUDGED_MS);
	must(sem_timedwait(&go, &at) == -1 && errno == ETIMEDOUT);
	at = realtime_in_ms(WAIT_JUDGED_MS);
	must(mtx_lock(&lock11) == thrd_success);
	must(cnd_timedwait(&changed11, &lock11, &at) == thrd_timedout);
	must(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &left) == -1 && errno == ETIMEDOUT);
}

int main(void)
{
	struct gate stop;
	pthread_t idle;

	gate_init(&stop);
	must(sem_init(&go, 0, 0) == 0);
	must(mtx_init(&lock11, mtx_plain) == thrd_success && cnd_init(&changed11) == thrd_success);
	must(pthread_create(&idle, NULL, idle_main, &stop) == 0);
	must(child_run(child_waits) == 0);
	gate_open(&stop);
	must(pthread_join(idle, NULL) == 0);
	puts("every wait ended");
	return 0;
}
