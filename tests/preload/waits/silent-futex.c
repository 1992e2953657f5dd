/*
 * Futex words without any lock around them, as other languages' libraries have: one in private memory, which a
 * thread sets after a sleep, and one in shared memory, which a child sets.
 */
// expect: none
#include "threads.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int private_word;
static atomic_int *shared_word;

static void word_wait(atomic_int *word, int flags)
{
	while (atomic_load(word) == 0)
		must(syscall(SYS_futex, word, FUTEX_WAIT | flags, 0, NULL, NULL, 0) == 0 ||
		     errno == EAGAIN || errno == EINTR);
}

static void word_set(atomic_int *word, int flags)
{
	sleep_ms(2000);
	atomic_store(word, 1);
	must(syscall(SYS_futex, word, FUTEX_WAKE | flags, 1, NULL, NULL, 0) >= 0);
}

static void *sets_main(void *unused)
{
	word_set(&private_word, FUTEX_PRIVATE_FLAG);
	return unused;
}

static void *waits_main(void *unused)
{
	word_wait(shared_word, 0);
	return unused;
}

int main(void)
{
	pthread_t sets, waits;
	pid_t child;

	shared_word = shared_memory(sizeof(*shared_word));
	child = fork();
	if (child == 0) {
		word_set(shared_word, 0);
		_exit(0);
	}
	waits = thread_start(waits_main);
	thread_join(waits);
	sets = thread_start(sets_main);
	word_wait(&private_word, FUTEX_PRIVATE_FLAG);
	thread_join(sets);
	puts("both words were set");
	return child_wait(child);
}
