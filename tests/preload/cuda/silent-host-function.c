/* A thread waits for work of the device: a function of the program, called by a thread of the driver, posts a semaphore. */
// expect: none
// silent: deadlock-cycle
// fake: cuda 1 THREADS=2000
// link: -Lbuild/fake -Wl,--as-needed -l:libcudart.so.13 -l:libcuda.so.1
#include "cuda.h"

#include <semaphore.h>

#define BATCHES 2 /* who was sent something before is owed more */

CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data);

static sem_t done;

static void is_done(void *unused)
{
	must(unused == NULL);
	must(sem_post(&done) == 0);
}

int main(void)
{
	int batch;

	use_device(0);
	must(sem_init(&done, 0, 0) == 0);
	for (batch = 0; batch < BATCHES; batch++) {
		must(cuLaunchHostFunc(NULL, is_done, NULL) == 0);
		must(sem_wait(&done) == 0);
	}
	return 0;
}
