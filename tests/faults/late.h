/*
 * What the programs of calls that come back late share (preload/lib/late.c): each is a table of cases, and takes the
 * name of one; without it, it names them.
 */
#ifndef MPSAN_TESTS_FAULTS_LATE_H
#define MPSAN_TESTS_FAULTS_LATE_H

#include "../preload/lib.h"

#define JUDGED_MS 1800 /* by then a supervisor has judged what happened */

extern void late_after(const char *function, void (*meanwhile)(void));
extern void late_fail(const char *function, int result);

static struct gate done;
static const char *function; /* the one that comes back late, or fails */

static inline void nap(void)
{
	sleep_ms(JUDGED_MS);
}

static inline void tell_and_nap(void)
{
	gate_open(&done);
	nap();
}

static inline bool is(const char *name)
{
	return !strcmp(function, name);
}

static inline pthread_t in_thread(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, body, argument) == 0);
	return thread;
}

static inline void joined(pthread_t thread)
{
	must(pthread_join(thread, NULL) == 0);
}

struct late_case {
	const char *name;
	void (*run)(void);
	const char *function;
};

/* `chosen` NULL: all are named. The program's exit status. */
static inline int late_run(const struct late_case *table, size_t count, const char *chosen)
{
	gate_init(&done);
	for (size_t i = 0; i < count; i++) {
		if (!chosen)
			puts(table[i].name);
		if (!chosen || strcmp(chosen, table[i].name))
			continue;
		function = table[i].function;
		table[i].run();
		return 0;
	}
	return chosen ? 2 : 0;
}

#define LATE_RUN(table, argc, argv) \
	late_run(table, sizeof(table) / sizeof(*(table)), (argc) > 1 ? (argv)[1] : NULL)

#endif
