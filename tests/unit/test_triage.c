/* The triage, from documents: who waits for whom is followed to the end, and told in the order of importance. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/base/jsontext.h"
#include "../../tools/ps/triage.h"

static json_t *processes, *findings;

static int begin(void **state)
{
	(void)state;
	processes = json_array();
	findings = json_array();
	return 0;
}

static json_t *add_process(int pid, const char *script)
{
	json_t *process = json_pack("{s:i, s:[ss], s:s, s:[]}", "pid", pid, "argv", "python3",
				    script, "state", "alive", "threads");

	json_array_append_new(processes, process);
	return process;
}

/* `owner`: TID of the same process, 0: none. */
static json_t *add_thread(json_t *process, int tid, const char *kind, const char *about,
			  const char *at, int owner)
{
	json_t *wait = json_pack("{s:s, s:o}", "text", about ? about : "", "owner",
				 owner ? json_pack("{s:I, s:i, s:b}", "pid",
						   (json_int_t)jsontext_number(process, "pid"),
						   "tid", owner, "gone", 0) :
					 json_null());
	json_t *thread = json_pack("{s:i, s:s, s:s, s:s?, s:s?, s:n, s:f, s:f, s:f, s:o}", "tid",
				   tid, "name", "worker", "kind", kind, "about", about, "at", at,
				   "by", "cpu", 0.5, "wakes", 100.0, "seen_s", 8.0, "waits_for",
				   wait);

	json_array_append_new(json_object_get(process, "threads"), thread);
	return thread;
}

static json_t *triage(void)
{
	json_t *document = json_pack("{s:b, s:I, s:o, s:o}", "live", 1, "time_ns",
				     (json_int_t)1000000000, "processes", processes, "findings",
				     findings);
	json_t *list = triage_of(document);

	json_decref(document);
	return list;
}

static void is_line(const json_t *list, size_t at, const char *kind, const char *text)
{
	assert_string_equal(jsontext_at(json_array_get(list, at), "kind"), kind);
	assert_string_equal(jsontext_at(json_array_get(list, at), "text"), text);
}

/* At one place, for different things: each is named, and those that wait for the same together. */
static void each_for_its_own(void **state)
{
	json_t *process = add_process(7, "a.py"), *list;

	(void)state;
	add_thread(process, 6, "sleep", NULL, "main (a.py:9)", 0);
	add_thread(process, 7, "wait", "Lock \"a\"", "f (a.py:1)", 0);
	add_thread(process, 8, "wait", "Lock \"b\"", "f (a.py:1)", 0);
	add_thread(process, 9, "wait", "Lock \"b\"", "f (a.py:1)", 0);
	list = triage();
	assert_int_equal(json_array_size(list), 2);
	is_line(list, 1, "wait",
		"waits, and nothing is proved: 3 threads of process 7 (python3 a.py) wait, at f (a.py:1): "
		"thread \"worker\" (TID 7) for Lock \"a\"; 2 of them for Lock \"b\"");
	json_decref(list);
}

/* The same address in two processes is two objects. */
static void same_address_elsewhere(void **state)
{
	json_t *list;

	(void)state;
	add_thread(add_process(7, "a.py"), 7, "wait", "futex 0x10", "f (a.py:1)", 0);
	add_thread(add_process(8, "a.py"), 8, "wait", "futex 0x10", "f (a.py:1)", 0);
	list = triage();
	assert_int_equal(json_array_size(list), 1);
	is_line(list, 0, "wait",
		"waits, and nothing is proved: the main threads of 2 processes (python3 a.py: 7, 8) wait for "
		"futex 0x10 of process 7, 0x10 of process 8, at f (a.py:1)");
	json_decref(list);
}

/* A thread that has several locks, for which others wait. */
static void several_locks_of_one(void **state)
{
	json_t *process = add_process(7, "a.py"), *list;

	(void)state;
	add_thread(process, 7, "lock", "Lock \"m\"", "f (a.py:1)", 9);
	add_thread(process, 8, "lock", "Lock \"n\"", "g (a.py:2)", 9);
	add_thread(process, 9, "running", NULL, "burn (a.py:5)", 0);
	list = triage();
	assert_non_null(strstr(jsontext_at(json_array_get(list, 0), "text"),
			       "2 threads wait for Lock \"m\", Lock \"n\", held by"));
	json_decref(list);
}

static void owner_of_a_lock_that_runs(void **state)
{
	json_t *process = add_process(7, "a.py"), *list;

	(void)state;
	add_thread(process, 7, "lock", "Lock \"m\"", "f (a.py:1)", 9);
	add_thread(process, 8, "lock", "Lock \"m\"", "f (a.py:1)", 9);
	add_thread(process, 9, "running", NULL, "burn (a.py:5)", 0);
	list = triage();
	assert_int_equal(json_array_size(list), 1);
	is_line(list, 0, "lock",
		"waits for a lock: 2 threads wait for Lock \"m\", held by thread \"worker\" (TID 9) of "
		"process 7 (python3 a.py), which runs, 50 % of a processor in the last 8.0 s, at burn "
		"(a.py:5)");
	json_decref(list);
}

static void owner_of_a_lock_that_sleeps(void **state)
{
	json_t *process = add_process(7, "a.py"), *list;

	(void)state;
	add_thread(process, 7, "lock", "Lock \"m\"", "f (a.py:1)", 9);
	add_thread(process, 9, "sleep", "until 10:00:00, in 5 min", "nap (a.py:5)", 0);
	list = triage();
	is_line(list, 0, "lock",
		"waits for a lock: 1 thread waits for Lock \"m\", held by thread \"worker\" (TID 9) of "
		"process 7 (python3 a.py), which sleeps until 10:00:00, in 5 min, at nap (a.py:5)");
	json_decref(list);
}

/* A circle without a proof has no end: each is told for itself. */
static void circle(void **state)
{
	json_t *process = add_process(7, "a.py"), *list;

	(void)state;
	add_thread(process, 7, "lock", "Lock \"a\"", "f (a.py:1)", 8);
	add_thread(process, 8, "lock", "Lock \"b\"", "g (a.py:2)", 7);
	list = triage();
	assert_int_equal(json_array_size(list), 2);
	json_decref(list);
}

static void processes_alike(void **state)
{
	json_t *list;

	(void)state;
	for (int pid = 1; pid <= 5; pid++)
		add_thread(add_process(pid, "rank.py"), pid, "network",
			   "data from 10.0.0.1:80 (TCP)", "pull (rank.py:3)", 0);
	add_thread(add_process(6, "a.py"), 6, "idle", "connections to 0.0.0.0:1", NULL, 0);
	list = triage();
	assert_int_equal(json_array_size(list), 2);
	is_line(list, 0, "network",
		"waits for the network: the main threads of 5 processes (python3 rank.py: 1, 2, 3 …) "
		"wait for data from 10.0.0.1:80 (TCP), at pull (rank.py:3)");
	json_decref(list);
}

/* A process that waits for its child waits for what the child waits for. */
static void follows_processes(void **state)
{
	json_t *list;

	(void)state;
	json_object_set_new(
		add_thread(add_process(1, "a.py"), 1, "process", "process 2", "join (a.py:1)", 0),
		"by", json_integer(2));
	add_thread(add_process(2, "a.py"), 2, "terminal", "/dev/pts/0", "ask (a.py:2)", 0);
	list = triage();
	assert_int_equal(json_array_size(list), 1);
	is_line(list, 0, "terminal",
		"waits for input on a terminal: the main thread of process 2 (python3 a.py) waits for "
		"/dev/pts/0, at ask (a.py:2); 1 thread waits for that");
	json_decref(list);
}

static void findings_first(void **state)
{
	json_t *process = add_process(7, "a.py"), *list;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	add_thread(process, 7, "running", NULL, NULL, 0);
	json_array_append_new(findings,
			      json_pack("{s:s, s:s, s:s}", "rule", "deadlock-cycle", "severity",
					"error", "message", "two threads\nwait"));
	list = triage();
	is_line(list, 0, "proved", "proved: deadlock-cycle: two threads");
	kinds_print(out, list, "mpsan: ");
	fclose(out);
	assert_string_equal(text, "mpsan: proved: deadlock-cycle: two threads\n");
	free(text);
	json_decref(list);
}

/* Documents from elsewhere may lack anything. */
static void odd_documents(void **state)
{
	json_t *list;

	(void)state;
	json_array_append_new(processes, json_string("?"));
	json_array_append_new(processes, json_pack("{s:s, s:[n, {}, {s:s, s:i}]}", "state", "alive",
						   "threads", "kind", "lock", "by", 5));
	list = triage();
	assert_int_equal(json_array_size(list), 1);
	json_decref(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_for_its_own, begin),
		cmocka_unit_test_setup(same_address_elsewhere, begin),
		cmocka_unit_test_setup(several_locks_of_one, begin),
		cmocka_unit_test_setup(owner_of_a_lock_that_runs, begin),
		cmocka_unit_test_setup(owner_of_a_lock_that_sleeps, begin),
		cmocka_unit_test_setup(circle, begin),
		cmocka_unit_test_setup(processes_alike, begin),
		cmocka_unit_test_setup(follows_processes, begin),
		cmocka_unit_test_setup(findings_first, begin),
		cmocka_unit_test_setup(odd_documents, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
