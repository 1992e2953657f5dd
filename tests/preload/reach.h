/*
 * What the programs share in which somebody who does not map a piece of shared memory yet comes to it in the
 * end, and wakes who waits there. Each situation is a process of its own; its late one is this program again,
 * started with an empty environment: nobody watches it.
 */
#ifndef MPSAN_TESTS_PRELOAD_REACH_H
#define MPSAN_TESTS_PRELOAD_REACH_H

#include "lib.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define LATE_MS 1500 /* longer than the command needs to be sure of a wait that nobody can end */

/* One wait of each kind; `woken` is where the waiter says that it was meant to be. */
struct box {
	sem_t semaphore;
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	pthread_barrier_t barrier;
	uint32_t word;
	int news;
};

static inline struct box *box_map(int fd)
{
	struct box *box = mmap(NULL, sizeof(*box), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	must(box != MAP_FAILED);
	return box;
}

static inline struct box *box_init(struct box *box)
{
	pthread_condattr_t condition;
	pthread_barrierattr_t barrier;

	must(sem_init(&box->semaphore, 1, 0) == 0);
	mutex_of(&box->mutex, PTHREAD_MUTEX_NORMAL, PTHREAD_PROCESS_SHARED, PTHREAD_MUTEX_STALLED);
	must(pthread_condattr_init(&condition) == 0);
	must(pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED) == 0);
	must(pthread_cond_init(&box->condition, &condition) == 0);
	must(pthread_barrierattr_init(&barrier) == 0);
	must(pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED) == 0);
	must(pthread_barrier_init(&box->barrier, &barrier, 2) == 0);
	return box;
}

static inline struct box *box_make(int fd)
{
	must(fd >= 0 && ftruncate(fd, sizeof(struct box)) == 0);
	return box_init(box_map(fd));
}

static NOINLINE void wait_semaphore(struct box *box)
{
	must(sem_wait(&box->semaphore) == 0);
}

static NOINLINE void wait_condition(struct box *box)
{
	must(pthread_mutex_lock(&box->mutex) == 0);
	while (!box->news)
		must(pthread_cond_wait(&box->condition, &box->mutex) == 0);
	must(pthread_mutex_unlock(&box->mutex) == 0);
}

static NOINLINE void wait_barrier(struct box *box)
{
	int result = pthread_barrier_wait(&box->barrier);

	must(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
}

static NOINLINE void wait_word(struct box *box)
{
	while (!__atomic_load_n(&box->word, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &box->word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* Ends the wait of whichever kind. */
static inline void box_wake(struct box *box, char kind)
{
	if (kind == 's')
		must(sem_post(&box->semaphore) == 0);
	if (kind == 'b')
		wait_barrier(box);
	if (kind == 'c') {
		must(pthread_mutex_lock(&box->mutex) == 0);
		box->news = 1;
		must(pthread_cond_signal(&box->condition) == 0);
		must(pthread_mutex_unlock(&box->mutex) == 0);
	}
	if (kind == 'w') {
		__atomic_store_n(&box->word, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &box->word, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

static inline void box_wait(struct box *box, char kind)
{
	(kind == 's' ? wait_semaphore :
	 kind == 'b' ? wait_barrier :
	 kind == 'c' ? wait_condition :
		       wait_word)(box);
}

/* Starts this program again: "late WAY KIND WHAT", with this environment. It keeps open descriptors. */
static inline pid_t late_start_with(char **environment, const char *way, char kind,
				    const char *what)
{
	char kind_text[2] = {kind, 0};
	char *arguments[] = {"late", (char *)way, kind_text, (char *)what, NULL};
	pid_t child = fork();

	if (child == 0) {
		execve("/proc/self/exe", arguments, environment);
		must(!"started");
	}
	must(child > 0);
	return child;
}

static inline pid_t late_start(const char *way, char kind, const char *what)
{
	char *empty[] = {NULL};

	return late_start_with(empty, way, kind, what);
}

static inline const char *number_text(long number)
{
	static char text[24];

	snprintf(text, sizeof(text), "%ld", number);
	return text;
}

/* A descriptor as a message of its own. */
static inline void send_descriptor(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec byte = {"", 1};
	struct msghdr message = {.msg_iov = &byte,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	must(sendmsg(to, &message, 0) == 1);
}

static inline int receive_descriptor(int from)
{
	char control[CMSG_SPACE(sizeof(int))] = {0}, byte;
	struct iovec room = {&byte, 1};
	struct msghdr message = {.msg_iov = &room,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	int fd;

	must(recvmsg(from, &message, 0) == 1 && CMSG_FIRSTHDR(&message));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

/* A situation: in a process of its own, all at once, or the one that the program was told. */
struct situation {
	const char *name;
	void (*body)(void);
};

static inline int situations_run(const struct situation *all, size_t count, const char *only)
{
	pid_t child[32] = {0};
	int failed = 0;

	must(count <= 32);
	for (size_t i = 0; i < count && only && !strcmp(only, "--list"); i++)
		puts(all[i].name);
	for (size_t i = 0; i < count; i++) {
		if (only && strcmp(only, all[i].name))
			continue;
		child[i] = fork();
		if (child[i] == 0) {
			all[i].body();
			_exit(0);
		}
	}
	for (size_t i = 0; i < count; i++) {
		int status = child[i] ? child_wait(child[i]) : 0;

		if (status)
			printf("%s: %d\n", all[i].name, status);
		failed |= status;
	}
	if (!failed)
		puts("all were woken");
	return failed;
}

#endif
