/*
 * A thread that catches its panic of Rust, and wakes the main thread after a while.
 */
// expect: none
// silent: thread-died
#include "lib.h"

static struct gate done;

static void *recovers(void *argument)
{
	static const char message[] =
		"\nthread '<unnamed>' (8) panicked at src/pool.rs:30:5:\ncaught\n";

	must(write(2, message, sizeof(message) - 1) > 0);
	sleep_ms(700);
	gate_open(&done);
	return argument;
}

int main(void)
{
	pthread_t thread;

	gate_init(&done);
	must(pthread_create(&thread, NULL, recovers, NULL) == 0);
	gate_wait(&done);
	must(pthread_join(thread, NULL) == 0);
	return 0;
}
