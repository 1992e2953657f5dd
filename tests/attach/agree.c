/* SPDX-License-Identifier: Apache-2.0 */
/* Waits in the way that `agree WAY FILE` names, for a semaphore that others could post or for what nobody can give. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CROWD 40

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static sem_t own;
static const char *file;

static void *backwards(void *unused)
{
	pthread_mutex_lock(&two);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&one);
	return unused;
}

static void *forwards(void *unused)
{
	pthread_mutex_lock(&one);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&two);
	return unused;
}

static void *want(void *unused)
{
	pthread_mutex_lock(&one);
	return unused;
}

static void start(void *(*run)(void *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
}

static void circle(void)
{
	pthread_barrier_init(&both, NULL, 3);
	start(forwards);
	start(backwards);
	pthread_barrier_wait(&both);
}

static void post(int number)
{
	(void)number;
	sem_post(&own);
}

static sem_t *shared(int fd)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0),
		    fd, 0);
}

/* ---- others could end it ---- */

static void named(void)
{
	sem_wait(sem_open(file, O_CREAT, 0600, 0));
}

static void *named_in_thread(void *unused)
{
	named();
	return unused;
}

static void joined(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, named_in_thread, NULL);
	pthread_join(thread, NULL);
}

static void handled(void)
{
	signal(SIGUSR1, post);
	while (sem_wait(&own))
		;
}

static void in_file(void)
{
	int fd = open(file, O_RDWR | O_CREAT, 0600);
	sem_t *sem;

	if (ftruncate(fd, 4096))
		return;
	sem = shared(fd);
	sem_init(sem, 1, 0);
	sem_wait(sem);
}

/* A process of its own, which is no child any more, has the memory. */
static void left(void)
{
	sem_t *sem = shared(-1);
	pid_t child;

	sem_init(sem, 1, 0);
	child = fork();
	if (!child) {
		setsid();
		if (!fork())
			pause();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	sem_wait(sem);
}

static void fifo(void)
{
	char byte;

	mkfifo(file, 0600);
	if (read(open(file, O_RDWR), &byte, 1) < 0)
		_exit(1);
}

/* ---- nobody can ---- */

static void crowd(void)
{
	circle();
	for (int i = 0; i < CROWD; i++)
		start(want);
	want(NULL);
}

static void late(void)
{
	circle();
	sleep(4);
	want(NULL);
}

static void beside(void)
{
	circle();
	for (;;)
		usleep(200000);
}

static void orphan(void)
{
	pid_t child;

	circle();
	child = fork();
	if (!child)
		want(NULL);
	waitpid(child, NULL, 0);
}

/* The child of a child wants it. */
static void grandchild(void)
{
	circle();
	if (!fork()) {
		if (!fork())
			want(NULL);
		wait(NULL);
	}
	wait(NULL);
}

/* The thread that forks has it. */
static void forker(void)
{
	want(NULL);
	if (!fork())
		want(NULL);
	wait(NULL);
}

/* The main thread has it, and another one forks. */
static void *fork_and_want(void *unused)
{
	if (!fork())
		want(NULL);
	return unused;
}

static void main_thread(void)
{
	want(NULL);
	start(fork_and_want);
	wait(NULL);
	sleep(1);
	wait(NULL);
}

/* The thread that has it goes on in the parent, or ends there, after the fork. */
static void *keep(void *unused)
{
	pthread_mutex_lock(&one);
	pthread_barrier_wait(&both);
	sem_wait(&own);
	return unused;
}

static void moved_on(void)
{
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, keep, NULL);
	pthread_barrier_wait(&both);
	if (!fork())
		want(NULL);
	sem_post(&own);
	pthread_join(thread, NULL);
	wait(NULL);
}

/* The thread that had it has ended, in this process or before the fork. */
static void ended(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, want, NULL);
	pthread_join(thread, NULL);
	want(NULL);
}

static void ended_before(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, want, NULL);
	pthread_join(thread, NULL);
	if (!fork())
		want(NULL);
	wait(NULL);
}

static void itself(void)
{
	want(NULL);
	want(NULL);
}

static const struct {
	const char *name;
	void (*go)(void);
} ways[] = {
	{"named", named},
	{"joined", joined},
	{"handled", handled},
	{"in_file", in_file},
	{"left", left},
	{"fifo", fifo},
	{"crowd", crowd},
	{"late", late},
	{"beside", beside},
	{"orphan", orphan},
	{"itself", itself},
	{"main_thread", main_thread},
	{"grandchild", grandchild},
	{"forker", forker},
	{"moved_on", moved_on},
	{"ended", ended},
	{"ended_before", ended_before},
};

int main(int count, char **word)
{
	file = count > 2 ? word[2] : "";
	sem_init(&own, 0, 0);
	for (size_t i = 0; count > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(word[1], ways[i].name))
			ways[i].go();
	puts("woken");
	return 0;
}
