/*
 * A thread keeps a mutex while it reads from a pipe. The only end for writing is in this process, and the main
 * thread, which would write, waits for the mutex.
 */
// expect: deadlock-cycle error
// ends: never
// frames: read_main send_command
#include "threads.h"

#include <fcntl.h>

static pthread_mutex_t channel = PTHREAD_MUTEX_INITIALIZER;
static struct gate has_channel;
static int command[2];

static NOINLINE void *read_main(void *unused)
{
	char byte;

	mutex_take(&channel);
	gate_open(&has_channel);
	must(read(command[0], &byte, 1) == 1);
	mutex_give(&channel);
	return unused;
}

static NOINLINE void send_command(void)
{
	mutex_take(&channel);
	must(write(command[1], "c", 1) == 1);
	mutex_give(&channel);
}

int main(void)
{
	gate_init(&has_channel);
	must(pipe2(command, O_CLOEXEC) == 0);
	thread_start(read_main);
	gate_wait(&has_channel);
	send_command();
	return 0;
}
