/*
 * A thread answers datagrams with a mutex taken, and waits for one more, which the main thread would send: it wants the
 * mutex. Its process alone has both sockets.
 */
// expect: deadlock-cycle error
// ends: never
// frames: answer_main ask
// says: data from a socket
#include "threads.h"

#include <sys/socket.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static int pair[2];

static NOINLINE void *answer_main(void *unused)
{
	struct iovec room = {(char[8]){0}, 8};
	struct msghdr message = {.msg_iov = &room, .msg_iovlen = 1};

	must(recvmsg(pair[1], &message, 0) == 4);
	mutex_take(&table);
	must(send(pair[1], "done", 4, 0) == 4);
	must(recvmsg(pair[1], &message, 0) == 4);
	mutex_give(&table);
	return unused;
}

static NOINLINE void ask(void)
{
	char answer[4];

	must(send(pair[0], "next", 4, 0) == 4);
	must(read(pair[0], answer, 4) == 4);
	mutex_take(&table);
	must(send(pair[0], "next", 4, 0) == 4);
	mutex_give(&table);
}

int main(void)
{
	pthread_t thread;

	must(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
	thread = thread_start(answer_main);
	ask();
	thread_join(thread);
	return 0;
}
