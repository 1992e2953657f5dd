/* The parent waits for a message of a System V queue, the child for a message of the parent. */
// expect: deadlock-cycle error
// within: 7
// outside: nothing: what happened before
// watched: nothing: any process of the user may send to a queue, so two receivers may be a service that idles
#include "lib.h"
#include <sys/ipc.h>
#include <sys/msg.h>

struct message {
	long type;
	char text[16];
};

static NOINLINE void receive(int queue, long type)
{
	struct message message;

	must(msgrcv(queue, &message, sizeof(message.text), type, 0) >= 0);
}

int main(void)
{
	int queue = msgget(0x4d000000 | getpid(), IPC_CREAT | IPC_EXCL | 0600);
	pid_t child = fork();

	if (child == 0) {
		receive(queue, 1);
		_exit(0);
	}
	receive(queue, 2);
	waitpid(child, NULL, 0);
	msgctl(queue, IPC_RMID, NULL);
	return 0;
}
