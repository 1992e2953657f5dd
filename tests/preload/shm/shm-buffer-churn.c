/* A process sends many tensors of one size to another, and makes new shared memory for each. */
// expect: none
// note: shm-buffer-churn
// says: 150 shared tensors of 1 MiB
#include "lib.h"

#include "shm_lib.h"

#define COUNT 150
#define BYTES (1 << 20)

static void receive_all(int over)
{
	for (int i = 0; i < COUNT; i++)
		must(close(descriptor_receive(over)) == 0);
}

int main(void)
{
	char name[64];
	int over[2], fd;
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0);
	child = fork();
	if (child == 0) {
		receive_all(over[1]);
		_exit(0);
	}
	for (int i = 0; i < COUNT; i++) {
		void *memory = tensor_make(name, BYTES, &fd, false);

		descriptor_send(over[0], fd);
		must(munmap(memory, BYTES) == 0 && close(fd) == 0);
	}
	child_wait(child);
	return 0;
}
