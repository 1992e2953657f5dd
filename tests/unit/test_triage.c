/* The triage: who waits for whom is followed to the end, and told in the order of importance. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_log.h"
#include "../../tools/ps/triage.h"

static struct ps_picture *picture;

static int begin(void **state)
{
	(void)state;
	picture = memory_get(sizeof(*picture));
	*picture = (struct ps_picture){.live = true, .now_ns = 1000000000};
	return 0;
}

static int end(void **state)
{
	(void)state;
	ps_picture_free(picture);
	return 0;
}

static uint32_t add_process(uint32_t pid, const char *script)
{
	*ARRAY_ADD(&picture->processes) =
		(struct ps_process){.pid = pid,
				    .command = text_format("python3 %s", script),
				    .line = text_format("python3 %s", script)};
	return picture->processes.count - 1;
}

static char *copy_of(const char *text)
{
	return text ? text_copy(text) : NULL;
}

/* `owner`: TID of the same process, 0: none. */
static struct ps_thread *add_thread(uint32_t process, uint32_t tid, enum kind kind,
				    const char *about, const char *at, uint32_t owner)
{
	struct ps_process *of = &picture->processes.item[process];
	struct ps_thread *thread = ARRAY_ADD(&of->threads);

	*thread = (struct ps_thread){
		.tid = tid,
		.name = text_copy("worker"),
		.waits = {.kind = "lock",
			  .text = text_copy(about ? about : ""),
			  .owner = {.pid = owner ? of->pid : 0, .tid = owner}},
		.at = copy_of(at),
		.seen = true,
		.kind = kind,
		.about = copy_of(about),
		.share = 0.5,
		.wakes = 100,
		.seen_s = 8,
	};
	return thread;
}

static void is_line(uint32_t at, enum kind kind, const char *text)
{
	assert_true(at < picture->triage.count);
	assert_int_equal(picture->triage.item[at].kind, kind);
	assert_string_equal(picture->triage.item[at].text, text);
}

/* At one place, for different things: each is named, and those that wait for the same together. */
static void each_for_its_own(void **state)
{
	uint32_t process = add_process(7, "a.py");

	(void)state;
	add_thread(process, 6, KIND_sleep, NULL, "main (a.py:9)", 0);
	add_thread(process, 7, KIND_wait, "Lock \"a\"", "f (a.py:1)", 0);
	add_thread(process, 8, KIND_wait, "Lock \"b\"", "f (a.py:1)", 0);
	add_thread(process, 9, KIND_wait, "Lock \"b\"", "f (a.py:1)", 0);
	triage(picture);
	assert_int_equal(picture->triage.count, 2);
	is_line(1, KIND_wait,
		"waits, and nothing is proved: 3 threads of process 7 (python3 a.py) wait, at f (a.py:1): "
		"thread \"worker\" (TID 7) for Lock \"a\"; 2 of them for Lock \"b\"");
}

/* The same address in two processes is two objects. */
static void same_address_elsewhere(void **state)
{
	(void)state;
	add_thread(add_process(7, "a.py"), 7, KIND_wait, "futex 0x10", "f (a.py:1)", 0);
	add_thread(add_process(8, "a.py"), 8, KIND_wait, "futex 0x10", "f (a.py:1)", 0);
	triage(picture);
	assert_int_equal(picture->triage.count, 1);
	is_line(0, KIND_wait,
		"waits, and nothing is proved: the main threads of 2 processes (python3 a.py: 7, 8) wait for "
		"futex 0x10 of process 7, 0x10 of process 8, at f (a.py:1)");
}

/* A thread that has several locks, for which others wait. */
static void several_locks_of_one(void **state)
{
	uint32_t process = add_process(7, "a.py");

	(void)state;
	add_thread(process, 7, KIND_lock, "Lock \"m\"", "f (a.py:1)", 9);
	add_thread(process, 8, KIND_lock, "Lock \"n\"", "g (a.py:2)", 9);
	add_thread(process, 9, KIND_running, NULL, "burn (a.py:5)", 0);
	triage(picture);
	assert_non_null(strstr(picture->triage.item[0].text,
			       "2 threads wait for Lock \"m\", Lock \"n\", held by"));
}

static void owner_of_a_lock_that_runs(void **state)
{
	uint32_t process = add_process(7, "a.py");

	(void)state;
	add_thread(process, 7, KIND_lock, "Lock \"m\"", "f (a.py:1)", 9);
	add_thread(process, 8, KIND_lock, "Lock \"m\"", "f (a.py:1)", 9);
	add_thread(process, 9, KIND_running, NULL, "burn (a.py:5)", 0);
	triage(picture);
	assert_int_equal(picture->triage.count, 1);
	is_line(0, KIND_lock,
		"waits for a lock: 2 threads wait for Lock \"m\", held by thread \"worker\" (TID 9) of "
		"process 7 (python3 a.py), which runs, 50 % of a processor in the last 8.0 s, at burn "
		"(a.py:5)");
}

static void owner_of_a_lock_that_sleeps(void **state)
{
	uint32_t process = add_process(7, "a.py");

	(void)state;
	add_thread(process, 7, KIND_lock, "Lock \"m\"", "f (a.py:1)", 9);
	add_thread(process, 9, KIND_sleep, "until 10:00:00, in 5 min", "nap (a.py:5)", 0);
	triage(picture);
	is_line(0, KIND_lock,
		"waits for a lock: 1 thread waits for Lock \"m\", held by thread \"worker\" (TID 9) of "
		"process 7 (python3 a.py), which sleeps until 10:00:00, in 5 min, at nap (a.py:5)");
}

/* A circle without a proof has no end: each is told for itself. */
static void circle(void **state)
{
	uint32_t process = add_process(7, "a.py");

	(void)state;
	add_thread(process, 7, KIND_lock, "Lock \"a\"", "f (a.py:1)", 8);
	add_thread(process, 8, KIND_lock, "Lock \"b\"", "g (a.py:2)", 7);
	triage(picture);
	assert_int_equal(picture->triage.count, 2);
}

static void processes_alike(void **state)
{
	(void)state;
	for (uint32_t pid = 1; pid <= 5; pid++)
		add_thread(add_process(pid, "rank.py"), pid, KIND_network,
			   "data from 10.0.0.1:80 (TCP)", "pull (rank.py:3)", 0);
	add_thread(add_process(6, "a.py"), 6, KIND_idle, "connections to 0.0.0.0:1", NULL, 0);
	triage(picture);
	assert_int_equal(picture->triage.count, 2);
	is_line(0, KIND_network,
		"waits for the network: the main threads of 5 processes (python3 rank.py: 1, 2, 3 …) "
		"wait alike for data from 10.0.0.1:80 (TCP), at pull (rank.py:3)");
}

/* A process that waits for its child waits for what the child waits for. */
static void follows_processes(void **state)
{
	(void)state;
	add_thread(add_process(1, "a.py"), 1, KIND_process, "process 2", "join (a.py:1)", 0)->by =
		2;
	add_thread(add_process(2, "a.py"), 2, KIND_terminal, "/dev/pts/0", "ask (a.py:2)", 0);
	triage(picture);
	assert_int_equal(picture->triage.count, 1);
	is_line(0, KIND_terminal,
		"waits for input on a terminal: the main thread of process 2 (python3 a.py) waits for "
		"/dev/pts/0, at ask (a.py:2); 1 thread waits for that");
}

static void findings_first(void **state)
{
	uint32_t process = add_process(7, "a.py");

	(void)state;
	add_thread(process, 7, KIND_running, NULL, NULL, 0);
	*ARRAY_ADD(&picture->findings) =
		(struct ps_finding){GRADE_ERROR, text_copy("two threads wait, and so on"),
				    json_pack("{s:s, s:s, s:s}", "rule", "deadlock-cycle", "what",
					      "two threads wait", "why", "each holds a lock")};
	triage(picture);
	is_line(0, KIND_proved, "proved: deadlock-cycle: two threads wait; each holds a lock");
}

static void failed_child(void **state)
{
	uint32_t child;

	(void)state;
	add_thread(add_process(7, "a.py"), 7, KIND_process, "process 8", "join (a.py:1)", 0)->by =
		8;
	child = add_process(8, "a.py");
	picture->processes.item[child].parent = 7;
	picture->processes.item[child].life = PS_ZOMBIE;
	picture->processes.item[child].end = MPSAN_END_EXIT;
	picture->processes.item[child].end_value = 3;
	triage(picture);
	is_line(0, KIND_failed,
		"a child has failed: process 8 exited with status 3, and process 7 (python3 a.py), which "
		"had started it, has not asked after it since");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_for_its_own, begin, end),
		cmocka_unit_test_setup_teardown(same_address_elsewhere, begin, end),
		cmocka_unit_test_setup_teardown(several_locks_of_one, begin, end),
		cmocka_unit_test_setup_teardown(owner_of_a_lock_that_runs, begin, end),
		cmocka_unit_test_setup_teardown(owner_of_a_lock_that_sleeps, begin, end),
		cmocka_unit_test_setup_teardown(circle, begin, end),
		cmocka_unit_test_setup_teardown(processes_alike, begin, end),
		cmocka_unit_test_setup_teardown(follows_processes, begin, end),
		cmocka_unit_test_setup_teardown(findings_first, begin, end),
		cmocka_unit_test_setup_teardown(failed_child, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
