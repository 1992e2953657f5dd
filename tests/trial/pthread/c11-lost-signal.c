/* C11 threads: the consumer waits again for an item that a producer, which has ended, never counted. */
// expect: deadlock-cycle error
// within: 6
#include "lib.h"
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int items;

static NOINLINE int produce(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		mtx_lock(&lock);
		if (i != 1)
			items++;
		cnd_signal(&changed);
		mtx_unlock(&lock);
	}
	return 0;
}

int main(void)
{
	thrd_t producer;

	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	thrd_create(&producer, produce, NULL);
	for (int i = 0; i < 3; i++) {
		mtx_lock(&lock);
		while (!items)
			cnd_wait(&changed, &lock);
		items--;
		mtx_unlock(&lock);
	}
	return thrd_join(producer, NULL);
}
