/* The same tensors, in four buffers that come back. */
// expect: none
// silent: shm-buffer-churn
#include "lib.h"

#include "shm_lib.h"

#define COUNT 150
#define BUFFERS 4
#define BYTES (1 << 20)

static void receive_all(int over)
{
	for (int i = 0; i < COUNT; i++)
		must(close(descriptor_receive(over)) == 0);
}

int main(void)
{
	int over[2], fd[BUFFERS];
	char name[64];
	pid_t child;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, over) == 0);
	child = fork();
	if (child == 0) {
		receive_all(over[1]);
		_exit(0);
	}
	for (int i = 0; i < BUFFERS; i++)
		tensor_make(name, BYTES, &fd[i], false);
	for (int i = 0; i < COUNT; i++)
		descriptor_send(over[0], fd[i % BUFFERS]);
	child_wait(child);
	return 0;
}
