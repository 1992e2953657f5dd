/* alarm(20), and two threads that wait for each other's mutex. */
// expect: deadlock-cycle error
// limit: SIGALRM ends the process
// within: 6
#include "threads.h"

static pthread_mutex_t in = PTHREAD_MUTEX_INITIALIZER, out = PTHREAD_MUTEX_INITIALIZER;
static struct meeting both;

static NOINLINE void *copy_out(void *unused)
{
	mutex_take(&out);
	meet(&both);
	mutex_take(&in);
	return unused;
}

int main(void)
{
	alarm(20);
	meeting_init(&both, 2);
	thread_start(copy_out);
	mutex_take(&in);
	meet(&both);
	mutex_take(&out);
	return 0;
}
