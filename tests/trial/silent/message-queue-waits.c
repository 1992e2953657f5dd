/* A System V message that a thread sends after four seconds. */
// expect: none
#include "threads.h"
#include <sys/ipc.h>
#include <sys/msg.h>

struct message {
	long type;
	char text[8];
};

static int queue;

static void *send_late(void *unused)
{
	struct message hello = {.type = 1, .text = "hello"};

	sleep(4);
	must(msgsnd(queue, &hello, sizeof(hello.text), 0) == 0);
	return unused;
}

int main(void)
{
	struct message message;
	pthread_t sender;

	queue = msgget(IPC_PRIVATE, 0600);
	sender = thread_start(send_late);
	must(msgrcv(queue, &message, sizeof(message.text), 0, 0) >= 0);
	thread_join(sender);
	msgctl(queue, IPC_RMID, NULL);
	return 0;
}
