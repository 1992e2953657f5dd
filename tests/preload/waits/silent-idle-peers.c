/*
 * Waits of one process that another ends late: System V semaphores and messages, file locks, FIFOs whose other end comes
 * late, a robust mutex whose owner is killed, a mutex whose owner is stopped for a while, is traced, or waits for its
 * vfork child or a signal of a grandchild in another session, a barrier whose last party starts late, readers before a writer.
 */
// expect: none
// prints: nothing

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LATE_MS = 700 };

static struct shared {
	pthread_mutex_t plain, robust;
	pthread_barrier_t barrier;
	pthread_rwlock_t rwlock;
	volatile int held;
} * shared;

static void late(void)
{
	usleep(LATE_MS * 1000);
}

static void wait_held(void)
{
	while (!shared->held)
		usleep(1000);
	shared->held = 0;
}

static void init_shared(void)
{
	pthread_mutexattr_t mutex;
	pthread_barrierattr_t barrier;
	pthread_rwlockattr_t rwlock;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->plain, &mutex);
	pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->robust, &mutex);
	pthread_barrierattr_init(&barrier);
	pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->barrier, &barrier, 3);
	pthread_rwlockattr_init(&rwlock);
	pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&shared->rwlock, &rwlock);
}

static void system_v(void)
{
	struct {
		long type;
		char text[8];
	} message = {1, ""};
	int semaphores = semget(IPC_PRIVATE, 1, 0600), messages = msgget(IPC_PRIVATE, 0600);
	struct sembuf take = {0, -1, 0}, give = {0, 1, 0};

	if (!fork()) {
		late();
		semop(semaphores, &give, 1);
		late();
		_exit(msgsnd(messages, &message, sizeof(message.text), 0) != 0);
	}
	semop(semaphores, &take, 1);
	msgrcv(messages, &message, sizeof(message.text), 1, 0);
	semctl(semaphores, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	wait(NULL);
}

static void file_locks(void)
{
	char name[] = "/tmp/idle-peers-XXXXXX";
	int fd = mkstemp(name);
	struct flock all = {.l_type = F_WRLCK};

	if (!fork()) {
		int own = open(name, O_RDWR);
		flock(own, LOCK_EX);
		fcntl(own, F_SETLK, &all);
		shared->held = 1;
		late();
		flock(own, LOCK_UN);
		late();
		_exit(0);
	}
	wait_held();
	flock(fd, LOCK_EX);
	fcntl(fd, F_SETLKW, &all);
	wait(NULL);
	unlink(name);
	close(fd);
}

static void fifo(void)
{
	char name[40];
	int fd;

	snprintf(name, sizeof(name), "/tmp/idle-peers-%d", (int)getpid());
	mkfifo(name, 0600);
	if (!fork()) {
		late();
		execlp("sh", "sh", "-c", "echo > $0", name, NULL);
		_exit(1);
	}
	fd = open(name, O_RDONLY);
	close(fd);
	unlink(name);
	wait(NULL);
}

static void robust_owner_killed(void)
{
	pid_t owner = fork();

	if (!owner) {
		pthread_mutex_lock(&shared->robust);
		shared->held = 1;
		pause();
	}
	wait_held();
	if (!fork()) {
		late();
		_exit(kill(owner, SIGKILL));
	}
	if (pthread_mutex_lock(&shared->robust) == EOWNERDEAD)
		pthread_mutex_consistent(&shared->robust);
	pthread_mutex_unlock(&shared->robust);
	while (wait(NULL) > 0)
		;
}

static void owner_stopped(void)
{
	pid_t owner = fork();

	if (!owner) {
		pthread_mutex_lock(&shared->plain);
		shared->held = 1;
		raise(SIGSTOP);
		pthread_mutex_unlock(&shared->plain);
		_exit(0);
	}
	wait_held();
	if (!fork()) {
		setsid();
		late();
		_exit(kill(owner, SIGCONT));
	}
	pthread_mutex_lock(&shared->plain);
	pthread_mutex_unlock(&shared->plain);
	while (wait(NULL) > 0)
		;
}

static void owner_traced(void)
{
	pid_t owner = fork();

	if (!owner) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(0);
		pthread_mutex_lock(&shared->plain);
		raise(SIGSTOP);
		late();
		pthread_mutex_unlock(&shared->plain);
		_exit(0);
	}
	waitpid(owner, NULL, WUNTRACED);
	ptrace(PTRACE_DETACH, owner, NULL, NULL);
	pthread_mutex_lock(&shared->plain);
	pthread_mutex_unlock(&shared->plain);
	waitpid(owner, NULL, 0);
}

static void owner_in_vfork(void)
{
	if (!fork()) {
		pthread_mutex_lock(&shared->plain);
		shared->held = 1;
		pid_t sleeper = vfork();
		if (!sleeper) {
			execlp("sleep", "sleep", "0.7", NULL);
			_exit(1);
		}
		waitpid(sleeper, NULL, 0);
		pthread_mutex_unlock(&shared->plain);
		_exit(0);
	}
	wait_held();
	pthread_mutex_lock(&shared->plain);
	pthread_mutex_unlock(&shared->plain);
	wait(NULL);
}

/* The owner waits in sigwait for a shell of another session, whose library is gone. */
static void owner_in_sigwait(void)
{
	sigset_t set;
	char command[80];
	int number;

	if (!fork()) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		pthread_mutex_lock(&shared->plain);
		snprintf(command, sizeof(command), "setsid sh -c 'sleep 0.7; kill -USR1 %d' &",
			 (int)getpid());
		unsetenv("LD_PRELOAD");
		if (system(command))
			_exit(1);
		shared->held = 1;
		sigwait(&set, &number);
		pthread_mutex_unlock(&shared->plain);
		_exit(0);
	}
	wait_held();
	pthread_mutex_lock(&shared->plain);
	pthread_mutex_unlock(&shared->plain);
	wait(NULL);
}

static void last_party_late(void)
{
	for (int i = 0; i < 2; i++) {
		if (!fork()) {
			for (int j = 0; j < i; j++)
				late();
			pthread_barrier_wait(&shared->barrier);
			_exit(0);
		}
	}
	pthread_barrier_wait(&shared->barrier);
	while (wait(NULL) > 0)
		;
}

static void slow_readers(void)
{
	for (int i = 0; i < 2; i++) {
		if (!fork()) {
			pthread_rwlock_rdlock(&shared->rwlock);
			shared->held = 1;
			late();
			pthread_rwlock_unlock(&shared->rwlock);
			_exit(0);
		}
	}
	wait_held();
	pthread_rwlock_wrlock(&shared->rwlock);
	pthread_rwlock_unlock(&shared->rwlock);
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	init_shared();
	system_v();
	file_locks();
	fifo();
	robust_owner_killed();
	owner_stopped();
	owner_traced();
	owner_in_vfork();
	owner_in_sigwait();
	last_party_late();
	slow_readers();
	return 0;
}
