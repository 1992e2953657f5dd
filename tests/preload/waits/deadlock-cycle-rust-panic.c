/*
 * A thread that ends by a panic of Rust, of which it writes what Rust writes, before it has woken the main thread. A second
 * one has caught its panic, and goes on to wait as well.
 */
// expect: deadlock-cycle error
// ends: never
// frames: panics waits_for_word
// says: had a panic at src/main.rs:3 ('index out of bounds')
// says: let a thread that others wait for end their wait when it fails, too
// outside: deadlock-cycle error: what the thread wrote before it ended
#include "lib.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static int word;

static NOINLINE void panics(const char *message)
{
	must(write(2, message, strlen(message)) > 0);
}

static NOINLINE void waits_for_word(void)
{
	while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void *fails(void *argument)
{
	panics("\nthread 'main' (7) panicked at src/main.rs:3:5:\nindex out of bounds\n");
	return argument;
}

static void *recovers(void *argument)
{
	panics("\nthread 'main' (8) panicked at src/pool.rs:30:5:\ncaught\n");
	waits_for_word();
	return argument;
}

int main(void)
{
	pthread_t thread[2];

	must(pthread_create(&thread[0], NULL, recovers, NULL) == 0);
	must(pthread_create(&thread[1], NULL, fails, NULL) == 0);
	must(pthread_join(thread[1], NULL) == 0);
	waits_for_word();
	return 0;
}
