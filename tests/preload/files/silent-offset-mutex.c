/*
 * Parent and child share a connection and a process-shared mutex, which each has from its question to the answer.
 */
// expect: none
// silent: shared-file-offset
#include "tcp_pair.h"

static int connection, server;
static pthread_mutex_t *mutex;
static struct gate asked, through;

static void makes_mutex(void)
{
	pthread_mutexattr_t shared;

	mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(mutex != MAP_FAILED && pthread_mutexattr_init(&shared) == 0);
	must(pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0);
	must(pthread_mutex_init(mutex, &shared) == 0);
}

static void asks(char what)
{
	char byte;

	must(pthread_mutex_lock(mutex) == 0);
	must(send(connection, &what, 1, 0) == 1);
	must(read(server, &byte, 1) == 1 && byte == what && send(server, &byte, 1, 0) == 1);
	must(recv(connection, &byte, 1, 0) == 1 && byte == what);
	must(pthread_mutex_unlock(mutex) == 0);
}

int main(void)
{
	pid_t child;

	tcp_pair(&connection, &server);
	makes_mutex();
	gate_init(&asked);
	gate_init(&through);
	child = fork();
	if (child == 0) {
		for (unsigned i = 0; i < 3; i++)
			asks('c');
		gate_open(&asked);
		gate_wait(&through);
		_exit(0);
	}
	for (unsigned i = 0; i < 3; i++)
		asks('p');
	gate_wait(&asked);
	gate_open(&through);
	must(child_wait(child) == 0);
	puts("done");
	return 0;
}
