/* Whether a thread or its process has run since it was looked at, by a child that waits. Neighbour: tools/waits/snapshot.h. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/waits/snapshot.h"

static int way[2], back[2];

/* Waits for a byte and answers it, until it is killed. */
static pid_t start_child(void)
{
	pid_t child;
	char byte;

	assert_int_equal(pipe(way) | pipe(back), 0);
	child = fork();
	while (child == 0)
		if (read(way[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1)
			_exit(1);
	return child;
}

/* As it stands asleep in its read. */
static struct snapshot_thread look_at(pid_t child)
{
	struct snapshot_thread thread = {.pid = (uint32_t)child, .tid = (uint32_t)child};
	struct proc_time time;

	while (proc_stat(thread.pid, thread.tid).state != 'S')
		continue;
	thread.runs = proc_runs(thread.pid, thread.tid, NULL, &time);
	return thread;
}

static void who_sleeps_has_not_moved_until_it_was_woken(void **state)
{
	pid_t child = start_child();
	struct snapshot_thread thread = look_at(child);
	char byte = 0;

	(void)state;
	assert_false(snapshot_has_moved(&thread));
	assert_int_equal(write(way[1], &byte, 1), 1);
	assert_int_equal(read(back[0], &byte, 1), 1);
	assert_true(snapshot_has_moved(&thread));
	thread = look_at(child);
	assert_false(snapshot_has_moved(&thread));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(snapshot_has_moved(&thread));
}

static void processor_time_passes_for_those_who_run_alone(void **state)
{
	pid_t child = start_child();
	struct snapshot_thread thread = look_at(child);
	uint64_t ran_ns = proc_ran_ns(thread.pid);
	struct proc_time time;
	char byte = 0;

	(void)state;
	assert_int_not_equal(ran_ns, 0);
	assert_int_equal(proc_ran_ns(thread.pid), ran_ns);
	assert_int_equal(write(way[1], &byte, 1), 1);
	assert_int_equal(read(back[0], &byte, 1), 1);
	look_at(child);
	assert_true(proc_ran_ns(thread.pid) > ran_ns);
	proc_runs(thread.pid, thread.tid, NULL, &time);
	assert_int_equal(proc_ran_ns(thread.pid), time.ran_ns); /* its only thread */
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(proc_ran_ns(thread.pid), 0);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		cmocka_unit_test(who_sleeps_has_not_moved_until_it_was_woken),
		cmocka_unit_test(processor_time_passes_for_those_who_run_alone),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
