/*
 * jail ACTION MODE NUMBER... -- COMMAND [ARG...]: runs a command under a filter of system calls. MODE `allow`: all but
 * these numbers are met with ACTION (kill, trap, errno); `deny`: these are. Without a command it works there by itself.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX 1000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return argument;
}

/* Threads, locks, a fork, and a fork with a lock held. */
static int work(void)
{
	pthread_t thread;
	int status = 0;

	for (int i = 0; i < 3; i++) {
		if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
			return 4;
		pthread_mutex_lock(&mutex);
		if (fork() == 0) {
			pthread_mutex_unlock(&mutex);
			run(NULL);
			_exit(0);
		}
		pthread_mutex_unlock(&mutex);
		wait(&status);
	}
	return status ? 5 : 3;
}

int main(int argc, char **argv)
{
	static struct sock_filter code[2 * MAX + 2];
	uint32_t action, other;
	unsigned short n = 0;
	int at = 3;

	if (argc < 4)
		return 2;
	action = !strcmp(argv[1], "kill") ? SECCOMP_RET_KILL_PROCESS :
		 !strcmp(argv[1], "trap") ? SECCOMP_RET_TRAP :
					    SECCOMP_RET_ERRNO | EPERM;
	other = !strcmp(argv[2], "allow") ? SECCOMP_RET_ALLOW : action;
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (; at < argc && strcmp(argv[at], "--") && at < MAX; at++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							 (uint32_t)atoi(argv[at]), 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
						 other == action ? SECCOMP_RET_ALLOW : action);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){n, code}))
		return 77;
	if (at + 1 >= argc)
		return work();
	execvp(argv[at + 1], argv + at + 1);
	perror(argv[at + 1]);
	return 127;
}
