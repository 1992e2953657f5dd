/*
 * Signal handlers in the middle of hooks. `fork N`: a handler forks N times while the program locks and unlocks.
 * `jump N`: a handler leaves a blocked lock call by siglongjmp N times; afterwards another thread holds one lock
 * while the program forks, and nothing else may seem to be held.
 */
#include "../preload/lib.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, kept = PTHREAD_MUTEX_INITIALIZER;
static volatile int times, well;
static sigjmp_buf back;

static void on_alarm(int number)
{
	int error = errno;
	pid_t child;

	(void)number;
	child = fork();
	if (child == 0)
		_exit(7);
	well += child_wait(child) == 7;
	times--;
	errno = error;
}

static void fork_in_handler(void)
{
	struct itimerval often = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (times > 0) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static void on_usr1(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static struct gate ready;

static void *interrupt(void *main_tid)
{
	for (int i = times; i > 0; i--) {
		gate_wait(&ready);
		until_asleep(getpid(), *(pid_t *)main_tid);
		syscall(SYS_tgkill, getpid(), *(pid_t *)main_tid, SIGUSR1);
	}
	return NULL;
}

static void take_kept(void)
{
	must(pthread_mutex_lock(&kept) == 0);
}

static void give_kept(void)
{
	must(pthread_mutex_unlock(&kept) == 0);
}

static void end_well(void)
{
	_exit(0);
}

static void jump_out_of_locks(void)
{
	static struct keeper keeper = {.take = take_kept, .give = give_kept};
	pid_t self = gettid();
	pthread_t thread;

	keeper_start(&keeper);
	gate_init(&ready);
	signal(SIGUSR1, on_usr1);
	must(pthread_create(&thread, NULL, interrupt, &self) == 0);
	while (times > 0) {
		if (sigsetjmp(back, 1) == 0) {
			gate_open(&ready);
			pthread_mutex_lock(&kept); /* blocks until the jump */
		}
		well++;
		times--;
	}
	must(pthread_join(thread, NULL) == 0);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	must(child_run(end_well) == 0);
	keeper_stop(&keeper);
}

int main(int argc, char **argv)
{
	must(argc == 3);
	times = atoi(argv[2]);
	if (!strcmp(argv[1], "fork"))
		fork_in_handler();
	else
		jump_out_of_locks();
	printf("%s %d\n", argv[1], well >= atoi(argv[2]));
	return 0;
}
