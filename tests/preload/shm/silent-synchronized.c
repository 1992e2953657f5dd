/* Two processes count in the same memory under a lock that both have. */
// expect: none
// silent: shm-unsynchronized
// options: --rule shm-unsynchronized=note
#include "lib.h"

#include <semaphore.h>

#include "shm_lib.h"

struct counter {
	sem_t lock;
	int value;
};

static struct gate mapped, done;

static void count(struct counter *counter)
{
	must(sem_wait(&counter->lock) == 0);
	counter->value++;
	must(sem_post(&counter->lock) == 0);
}

int main(void)
{
	struct counter *counter;
	int over[2], fd;
	char name[64];
	pid_t child;

	gate_init(&mapped);
	gate_init(&done);
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0);
	child = fork();
	if (child == 0) {
		fd = descriptor_receive(over[1]);
		counter = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		must(counter != MAP_FAILED);
		count(counter);
		gate_open(&mapped);
		gate_wait(&done);
		_exit(0);
	}
	counter = tensor_make(name, 4096, &fd, false);
	must(sem_init(&counter->lock, 1, 1) == 0);
	descriptor_send(over[0], fd);
	gate_wait(&mapped);
	count(counter);
	gate_open(&done);
	child_wait(child);
	return 0;
}
