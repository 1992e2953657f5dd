/*
 * How many instructions a pair of lock and unlock takes, counted by single steps: a figure that does not depend on what
 * else the machine does. `steps main` and `steps thread` print a line for each kind of lock: its name, and the
 * instructions of one pair in the main thread or in another one, once everything has been called before.
 */
#include <elf.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS 8
#define SKIPPED 77
#if defined(__x86_64__)
#define PC rip
#define UNUSED_ARGUMENT r10 /* the fourth of a system call */
#else
#define PC pc
#define UNUSED_ARGUMENT regs[3]
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

static void mutex_pair(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void read_pair(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void write_pair(void)
{
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}

static void semaphore_pair(void)
{
	sem_wait(&semaphore);
	sem_post(&semaphore);
}

static const struct {
	const char *name;
	void (*pair)(void);
} kinds[] = {{"mutex", mutex_pair},
	     {"read", read_pair},
	     {"write", write_pair},
	     {"semaphore", semaphore_pair}};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/* Counting begins and ends where this is called. */
static __attribute__((noinline)) void mark(void)
{
	__asm__ volatile("");
}

static void *work(void *unused)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	for (size_t kind = 0; kind < KINDS; kind++) {
		for (int i = 0; i < PAIRS; i++)
			kinds[kind].pair();
		/* The unused argument tells the parent where the mark is. */
		syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP, mark);
		mark();
		for (int i = 0; i < PAIRS; i++)
			kinds[kind].pair();
		mark();
	}
	_exit(0);
	return unused;
}

static int work_at(const char *where)
{
	pthread_t thread;

	sem_init(&semaphore, 0, 1);
	if (!strcmp(where, "main"))
		work(NULL);
	return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}

static bool registers_of(pid_t tid, struct user_regs_struct *regs)
{
	struct iovec all = {regs, sizeof(*regs)};

	return !ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &all);
}

/* Steps on to the next call of `mark`; the number of steps, 0: that was not possible. */
static unsigned long step_to(unsigned long address, pid_t tid)
{
	struct user_regs_struct regs;
	unsigned long steps = 0;
	int status;

	do {
		if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) ||
		    waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status) ||
		    !registers_of(tid, &regs))
			return 0;
		steps++;
	} while (regs.PC != address);
	return steps;
}

static int count(void)
{
	for (size_t kind = 0; kind < KINDS; kind++) {
		struct user_regs_struct regs;
		int status;
		pid_t tid = waitpid(-1, &status, __WALL);
		unsigned long steps = 0;

		if (tid > 0 && WIFSTOPPED(status) && registers_of(tid, &regs) &&
		    step_to(regs.UNUSED_ARGUMENT, tid))
			steps = step_to(regs.UNUSED_ARGUMENT, tid);
		if (!steps) {
			puts("steps: may not trace its own child here");
			return SKIPPED;
		}
		printf("%s %lu\n", kinds[kind].name, steps / PAIRS);
		ptrace(PTRACE_CONT, tid, NULL, NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return work_at(argv[2]);
	if (argc != 2)
		return 2;
	if (fork() == 0) {
		execl("/proc/self/exe", argv[0], "work", argv[1], NULL);
		_exit(127);
	}
	return count();
}
