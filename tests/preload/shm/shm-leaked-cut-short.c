/*
 * A thread shares a tensor as torch's strategy file_descriptor does: it makes the name and would remove it next. The
 * process exits in between, as a worker of a DataLoader that is left early may.
 */
// expect: none
// note: shm-leaked
// says: exited before that thread did so
#include "lib.h"

#include <fcntl.h>
#include <pthread.h>

static char name[64];
static struct gate made;

static NOINLINE void make_name(void)
{
	must(shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600) >= 0);
}

static void *share(void *unused)
{
	make_name();
	gate_open(&made);
	pause();
	return unused;
}

int main(void)
{
	pthread_t thread;

	snprintf(name, sizeof(name), "/torch_%s", own_name("cut") + 1);
	shm_unlink(name);
	gate_init(&made);
	must(pthread_create(&thread, NULL, share, NULL) == 0);
	gate_wait(&made);
	return 0;
}
