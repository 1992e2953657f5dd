/* Shared memory: the child's signal comes before its parent waits for it; the child reads the answer from a pipe. */
// expect: deadlock-cycle error
// within: 6
#include "lib.h"

struct shared {
	pthread_mutex_t lock;
	pthread_cond_t ready;
};

static struct shared *share(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t of_lock;
	pthread_condattr_t of_cond;

	pthread_mutexattr_init(&of_lock);
	pthread_mutexattr_setpshared(&of_lock, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &of_lock);
	pthread_condattr_init(&of_cond);
	pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->ready, &of_cond);
	return shared;
}

int main(void)
{
	struct shared *shared = share();
	struct gate signalled, answer;

	gate_init(&signalled);
	gate_init(&answer);
	if (fork() == 0) {
		close(answer.fd[1]);
		pthread_cond_signal(&shared->ready);
		gate_open(&signalled);
		gate_wait(&answer);
		_exit(0);
	}
	gate_wait(&signalled);
	pthread_mutex_lock(&shared->lock);
	pthread_cond_wait(&shared->ready, &shared->lock);
	pthread_mutex_unlock(&shared->lock);
	gate_open(&answer);
	wait(NULL);
	return 0;
}
