/* Two processes count in the same memory, and no lock keeps them apart. */
// expect: none
// note: shm-unsynchronized
// options: --rule shm-unsynchronized=note
// says: mapped for writing at the same time
#include "lib.h"

#include "shm_lib.h"

static struct gate mapped, done;

int main(void)
{
	int *counter, over[2], fd;
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
		++*counter;
		gate_open(&mapped);
		gate_wait(&done);
		_exit(0);
	}
	counter = tensor_make(name, 4096, &fd, false);
	descriptor_send(over[0], fd);
	gate_wait(&mapped);
	++*counter;
	gate_open(&done);
	child_wait(child);
	return 0;
}
