/* The parent waits for a reader, whose writer was started later and is parked at a condition variable, until Ctrl-C. */
// expect: none
// stop: SIGINT 4
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static NOINLINE void park(void)
{
	mutex_take(&lock);
	for (;;)
		pthread_cond_wait(&never, &lock);
}

int main(void)
{
	int ends[2];
	char byte;
	pid_t reader;

	must(pipe(ends) == 0);
	reader = fork();
	if (reader == 0) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) > 0);
	}
	if (fork() == 0)
		park();
	close(ends[0]);
	close(ends[1]);
	waitpid(reader, NULL, 0);
	return 0;
}
