/*
 * A server: one thread in accept, which keeps the mutex of the listener, its workers on a condition variable, the
 * main thread in a join. A client comes after two seconds. That is no hang either: a server waits for the world.
 */
// expect: none
// options: --hang-after 1
#include "threads.h"

#include <sys/socket.h>
#include <sys/un.h>

static pthread_mutex_t listener_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int listener, accepted;

static struct sockaddr_un address = {.sun_family = AF_UNIX};

static int new_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd >= 0);
	return fd;
}

static void client(void)
{
	char byte;
	int fd;

	sleep_ms(2000);
	fd = new_socket();
	must(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	must(read(fd, &byte, 1) == 1);
	_exit(0);
}

static void *accept_main(void *unused)
{
	int fd;

	mutex_take(&listener_lock);
	fd = accept(listener, NULL, NULL);
	must(fd >= 0 && write(fd, "", 1) == 1);
	mutex_give(&listener_lock);
	mutex_take(&queue);
	accepted++;
	must(pthread_cond_broadcast(&filled) == 0);
	mutex_give(&queue);
	return unused;
}

static void *worker_main(void *unused)
{
	mutex_take(&queue);
	while (accepted == 0)
		must(pthread_cond_wait(&filled, &queue) == 0);
	mutex_give(&queue);
	return unused;
}

int main(void)
{
	pthread_t workers[3], acceptor;
	pid_t child;

	/* An abstract name: nothing is left behind in the file system. */
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "wait_accept.%d", getpid());
	listener = new_socket();
	must(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	     listen(listener, 1) == 0);
	child = fork();
	if (child == 0)
		client();
	for (int i = 0; i < 3; i++)
		workers[i] = thread_start(worker_main);
	acceptor = thread_start(accept_main);
	for (int i = 0; i < 3; i++)
		thread_join(workers[i]);
	thread_join(acceptor);
	puts("a client came");
	return child_wait(child);
}
