/*
 * Threads that come and go before a fork, beside two that stay: one that named itself and one that
 * did not. Driven by test_names.py. With a number as argument, it forks that often right after a
 * thread was joined: the kernel may still list it.
 */
#include "lib.h"

static struct gate ready, stop;

static NOINLINE void *early_main(void *unused)
{
	return unused;
}

static NOINLINE void *parked_main(void *name)
{
	if (name)
		must(pthread_setname_np(pthread_self(), name) == 0);
	gate_open(&ready);
	gate_wait(&stop);
	return NULL;
}

static void early(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, early_main, NULL) == 0);
	must(pthread_join(thread, NULL) == 0);
}

static void nothing(void)
{
}

int main(int count, char **argument)
{
	pthread_t parked[2];

	if (count > 1) {
		for (int i = atoi(argument[1]); i; i--) {
			early();
			must(child_run(nothing) == 0);
		}
		return 0;
	}
	gate_init(&ready);
	gate_init(&stop);
	for (int i = 0; i < 4; i++)
		early();
	for (int i = 0; i < 2; i++) {
		must(pthread_create(&parked[i], NULL, parked_main, i ? "decoder" : NULL) == 0);
		gate_wait(&ready);
	}
	for (int i = 0; i < 4; i++)
		early();
	must(child_run(live_on) == 0);
	gate_open(&stop);
	gate_open(&stop);
	for (int i = 0; i < 2; i++)
		must(pthread_join(parked[i], NULL) == 0);
	return 0;
}
