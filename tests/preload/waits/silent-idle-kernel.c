/*
 * Waits that the kernel alone ends, or somebody whom no wait names: timers, notices of a message
 * queue or of a pipe, a process that shares the memory without being a thread, a thread made by a raw clone. That each
 * comes late is the case itself: longer than a hang needs to be proven.
 */
// expect: none
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LATE_MS = 700, STACK = 64 * 1024 };

static sem_t done;
static char stack[STACK] __attribute__((aligned(64)));

static void posts(int number)
{
	(void)number;
	sem_post(&done);
}

static void wait_done(void)
{
	while (sem_wait(&done) && errno == EINTR)
		;
}

static void late(void)
{
	usleep(LATE_MS * 1000);
}

static void interval_timer(void)
{
	struct itimerval soon = {.it_value.tv_usec = LATE_MS * 1000};

	signal(SIGALRM, posts);
	setitimer(ITIMER_REAL, &soon, NULL);
	wait_done();
}

static void posix_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
	struct itimerspec soon = {.it_value.tv_nsec = LATE_MS * 1000000L};
	timer_t timer;

	signal(SIGRTMIN + 3, posts);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &soon, NULL);
	wait_done();
	timer_delete(timer);
}

static void timer_descriptor(void)
{
	struct itimerspec soon = {.it_value.tv_nsec = LATE_MS * 1000000L};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	timerfd_settime(fd, 0, &soon, NULL);
	if (read(fd, &(uint64_t){0}, sizeof(uint64_t)) != sizeof(uint64_t))
		exit(1);
	close(fd);
}

/* SIGIO from a pipe into which a child writes late. */
static void pipe_signal(void)
{
	int ends[2];

	signal(SIGIO, posts);
	if (pipe(ends))
		exit(1);
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETFL, O_ASYNC);
	if (!fork()) {
		late();
		_exit(write(ends[1], "x", 1) != 1);
	}
	wait_done();
	fcntl(ends[0], F_SETFL, 0);
	close(ends[0]);
	close(ends[1]);
	wait(NULL);
}

static void queue_notice(void)
{
	struct mq_attr small = {.mq_maxmsg = 1, .mq_msgsize = 8};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
	char name[40];
	mqd_t queue;

	snprintf(name, sizeof(name), "/idle-kernel-%d", (int)getpid());
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &small);
	if (queue == (mqd_t)-1)
		return;
	mq_unlink(name);
	signal(SIGUSR2, posts);
	mq_notify(queue, &event);
	if (!fork()) {
		late();
		_exit(mq_send(queue, "x", 1, 0) != 0);
	}
	wait_done();
	wait(NULL);
	mq_close(queue);
}

static int posts_from_outside(void *unused)
{
	(void)unused;
	struct timespec pause = {.tv_nsec = LATE_MS * 1000000L};
	nanosleep(&pause, NULL);
	sem_post(&done);
	return 0;
}

/* A process of its own in the same memory. */
static void shares_memory(void)
{
	int pid = clone(posts_from_outside, stack + STACK, CLONE_VM | SIGCHLD, NULL);

	wait_done();
	waitpid(pid, NULL, 0);
}

static void raw_thread(void)
{
	clone(posts_from_outside, stack + STACK,
	      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL);
	wait_done();
	usleep(10000);
}

static volatile sig_atomic_t spins;

static void stops_spinning(int number)
{
	(void)number;
	spins = 0;
	sem_post(&done);
}

static void *spin(void *unused)
{
	while (spins)
		;
	return unused;
}

static void cpu_timer(void)
{
	struct itimerval soon = {.it_value.tv_usec = 400000};
	pthread_t thread;

	spins = 1;
	signal(SIGPROF, stops_spinning);
	setitimer(ITIMER_PROF, &soon, NULL);
	pthread_create(&thread, NULL, spin, NULL);
	wait_done();
	setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
	pthread_join(thread, NULL);
}

int main(void)
{
	sem_init(&done, 0, 0);
	interval_timer();
	posix_timer();
	timer_descriptor();
	pipe_signal();
	queue_notice();
	shares_memory();
	raw_thread();
	cpu_timer();
	return 0;
}
