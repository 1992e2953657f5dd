/*
 * Which waits are one step of the evidence, in what order steps stand, and how a group is put. Neighbour:
 * tools/evidence/steps/alike.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"
#include "base/util.h"
#include "evidence/steps/alike.h"

#define MOST 300u

static struct alike_wait wait[MOST];
static uint32_t count;
static json_t *steps;

static int begin(void **state)
{
	(void)state;
	count = 0;
	steps = json_array();
	return 0;
}

static int end(void **state)
{
	(void)state;
	json_decref(steps);
	return 0;
}

/* Frames of Python: a line of the program below one of the library. */
static json_t *frames(int line, int inner)
{
	return json_pack("[{s:s, s:s, s:i}, {s:s, s:s, s:i}]", "function", "Lock.__enter__", "file",
			 "/usr/lib/python3.11/threading.py", "line", inner, "function", "work",
			 "file", "/home/a/train.py", "line", line);
}

/* A wait at a line, for what a thread of this process has; `owner` 0: nobody is known. */
static struct alike_wait *add(int pid, int tid, const char *awaited, int line, int owner)
{
	struct alike_wait *one = &wait[count++];
	AUTO_FREE char *name = pid == tid ? text_copy("main thread") :
					    text_format("worker-%d", tid);

	*one = (struct alike_wait){
		.place = text_format("work (train.py:%d)", line),
		.awaited = text_copy(awaited),
		.lock = 0x10,
		.step = json_pack("{s:s, s:i, s:i, s:s, s:o, s:[], s:{s:s, s:i, s:i, s:b}}", "what",
				  "alone", "pid", pid, "tid", tid, "thread", name, "python",
				  frames(line, 7), "stack", "waits_for", "what", awaited, "pid",
				  owner ? 1 : pid, "tid", owner, "gone", 0)};
	return one;
}

static struct alike_wait *add_process(int pid)
{
	return add(pid, pid, "Lock \"lock\"", 8, 0);
}

static void make(size_t expected)
{
	alike_steps(wait, count, steps);
	assert_int_equal(json_array_size(steps), expected);
}

static const char *what(size_t step)
{
	return jsontext_at(json_array_get(steps, step), "what");
}

static long long pid(size_t step)
{
	return jsontext_number(json_array_get(steps, step), "pid");
}

static json_t *alike(size_t step)
{
	return json_object_get(json_array_get(steps, step), "alike");
}

/* ---- groups ---- */

static void fifty_processes_are_one_step(void **state)
{
	(void)state;
	add_process(100)->single = true;
	for (int i = 101; i < 149; i++)
		add_process(i);
	make(2);
	assert_string_equal(what(0), "alone");
	assert_string_equal(what(1),
			    "48 processes wait alike at work (train.py:8) for Lock \"lock\": "
			    "101, 102, 103, 104, 105 and 43 more");
	assert_int_equal(json_array_size(alike(1)), 48);
	assert_int_equal(jsontext_number(json_array_get(alike(1), 47), "pid"), 148);
	assert_string_equal(jsontext_at(json_array_get(alike(1), 0), "thread"), "main thread");
	assert_null(alike(0));
	assert_int_equal(pid(1), 101);
}

static void two_stay_as_they_are(void **state)
{
	(void)state;
	add_process(5);
	add_process(6);
	make(2);
	assert_null(alike(0));
	assert_string_equal(what(1), "alone");
}

static void six_are_told_by_name(void **state)
{
	(void)state;
	for (int i = 11; i < 17; i++)
		add(10, i, "mutex \"m\", held by the main thread", 4, 10);
	make(1);
	assert_string_equal(what(0),
			    "6 threads of process 10 wait alike at work (train.py:4) for mutex "
			    "\"m\", held by the main thread: \"worker-11\", \"worker-12\", "
			    "\"worker-13\", \"worker-14\", \"worker-15\", \"worker-16\"");
}

static void namesakes_are_told_by_number(void **state)
{
	(void)state;
	for (int i = 11; i < 18; i++)
		json_object_set_new(add(10, i, "mutex \"m\"", 4, 0)->step, "thread",
				    json_string("more"));
	make(1);
	assert_string_equal(what(0),
			    "7 threads \"more\" of process 10 wait alike at work (train.py:4) for "
			    "mutex \"m\": TID 11, TID 12, TID 13, TID 14, TID 15 and 2 more");
}

static void threads_of_several_processes_are_told_by_process(void **state)
{
	(void)state;
	for (int i = 1; i <= 6; i++)
		add(10 + i / 4, 20 + i, "Lock \"lock\"", 4, 0);
	make(1);
	assert_string_equal(what(0),
			    "6 threads of 2 processes wait alike at work (train.py:4) for Lock "
			    "\"lock\": 10, 11");
}

static void ranks_are_told_by_number(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++)
		json_object_set_new(add_process(50 + i)->step, "rank", json_integer(i + (i > 3)));
	make(1);
	assert_string_equal(what(0),
			    "8 ranks wait alike at work (train.py:8) for Lock \"lock\": ranks 0 "
			    "to 3 and 5 to 8");
	assert_int_equal(jsontext_number(json_array_get(alike(0), 7), "rank"), 8);
}

static void an_unknown_place_is_left_out(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct alike_wait *one = add_process(50 + i);

		free(one->place);
		one->place = NULL;
	}
	make(1);
	assert_string_equal(what(0), "3 processes wait alike for Lock \"lock\": 50, 51, 52");
}

/* ---- neighbours that stay single ---- */

static void another_line_is_another_wait(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		add(50 + i, 50 + i, "Lock \"lock\"", 8 + i, 0);
	make(4);
}

static void another_way_there_is_another_wait(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		json_array_append_new(json_object_get(add_process(50 + i)->step, "python"),
				      json_pack("{s:s, s:s, s:i}", "function", "main", "file",
						"/home/a/train.py", "line", 20 + i));
	make(4);
}

static void another_line_of_a_library_is_the_same_wait(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		json_object_set_new(add_process(50 + i)->step, "python", frames(8, i));
	make(1);
}

static void native_stacks_are_compared_if_there_are_no_others(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		json_t *step = add_process(50 + i)->step;

		json_array_clear(json_object_get(step, "python"));
		json_array_append_new(json_object_get(step, "stack"),
				      json_pack("{s:s, s:s, s:i}", "function", "f", "module",
						"/home/a/prog", "offset", i < 4 ? 64 : i));
	}
	make(5);
}

static void another_thing_is_another_wait(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		add(50 + i, 50 + i, i % 2 ? "Lock \"a\"" : "Lock \"b\"", 8, 0);
	make(4);
}

static void another_object_of_one_process_is_another_wait(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		add(50, 60 + i, "Lock \"self.lock\"", 8, 0)->lock = 0x20u + (uint64_t)i;
	make(4);
}

static void an_object_may_have_another_address_in_each_process(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		add_process(50 + i)->lock = 0x20u + (uint64_t)i;
	make(1);
}

static void a_descriptor_is_another_one_in_each_process(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		AUTO_FREE char *awaited =
			text_format("data from a pipe (fd %d, whose other end is open in process 7 "
				    "(fd 6)), held by epoll_wait(fd %d: [pipe])",
				    i, i);

		add(50 + i, 50 + i, awaited, 8, 0);
	}
	make(1);
	assert_string_equal(
		what(0),
		"4 processes wait alike at work (train.py:8) for data from a pipe, held by "
		"epoll_wait: 50, 51, 52, 53");
}

static void a_descriptor_of_all_is_told(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		add(50 + i, 50 + i, "data from a pipe (fd 5)", 8, 0);
	make(1);
	assert_string_equal(
		what(0),
		"3 processes wait alike at work (train.py:8) for data from a pipe (fd 5): 50, "
		"51, 52");
}

static void another_descriptor_of_one_process_is_another_wait(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		AUTO_FREE char *awaited = text_format("data from a pipe (fd %d)", i);

		add(50, 60 + i, awaited, 8, 0);
	}
	make(4);
}

static void half_a_descriptor_stays(void **state)
{
	(void)state;
	add(50, 50, "read(fd 5", 8, 0);
	add(51, 51, "read(fd 6", 8, 0);
	add(52, 52, "read(fd 6", 8, 0);
	make(3);
}

static void another_owner_is_another_wait(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		add(50 + i, 50 + i, "Lock \"lock\", held by the main thread", 8, 70 + i);
	make(4);
}

static void single_ones_stay_single(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		add_process(50 + i)->single = i < 3;
	make(5);
}

static void two_groups_are_two_steps(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++)
		add(50 + i, 50 + i, "Lock \"lock\"", i % 2 ? 8 : 9, 0);
	make(2);
	assert_int_equal(json_array_size(alike(0)), 4);
	assert_int_equal(json_array_size(alike(1)), 4);
}

/* ---- who is different ---- */

static void who_differs_from_the_crowd_is_first(void **state)
{
	struct alike_wait *parent;

	(void)state;
	for (int i = 0; i < 127; i++)
		add(50 + i, 50 + i, "the other parties of a Barrier", 8, 0);
	wait[0].single = true;
	parent = add(2, 2, "the end of process 50", 30, 50);
	parent->follows = true;
	add(400, 400, "an item of a queue", 12, 0);
	make(4);
	assert_int_equal(pid(0), 400);
	assert_int_equal(pid(1), 50);
	assert_int_equal(pid(2), 2);
	assert_int_equal(json_array_size(alike(3)), 126);
}

static void three_of_four_are_a_crowd(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		add(50 + i, 50 + i, i == 2 ? "an item of a queue" : "Lock \"a\"", i == 2 ? 12 : 8,
		    0);
	wait[0].single = true;
	make(4);
	assert_int_equal(pid(0), 52);
	assert_int_equal(pid(1), 50);
}

static void those_of_a_circle_keep_their_order(void **state)
{
	(void)state;
	add(50, 50, "Lock \"a\"", 8, 51)->single = true;
	add(51, 51, "Lock \"b\"", 9, 50)->single = true;
	for (int i = 2; i < 9; i++)
		add(50 + i, 50 + i, "Lock \"b\"", 10, 50);
	make(3);
	assert_int_equal(pid(0), 50);
	assert_int_equal(pid(1), 51);
	assert_int_equal(json_array_size(alike(2)), 7);
}

static void without_a_crowd_the_order_stays(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		add(50 + i, 50 + i, "Lock \"b\"", 9, 0)->single = !i;
	for (int i = 3; i < 6; i++)
		add(50 + i, 50 + i, "an item of a queue", 12 + i, 0);
	make(6);
	for (int i = 0; i < 6; i++)
		assert_int_equal(pid((size_t)i), 50 + i);
}

/* ---- findings that are one ---- */

static json_t *finding_of(int pid, const char *awaited)
{
	AUTO_FREE char *text =
		text_format("the main thread of the child %d waits for %s", pid, awaited);
	json_t *at = json_pack("{s:s, s:s, s:i}", "function", "work", "file", "/home/a/train.py",
			       "line", 8);

	return json_pack("{s:i, s:i, s:[{s:s, s:i, s:i, s:s}, {s:s, s:i, s:i, s:s, s:o}]}", "pid",
			 pid, "tid", pid, "evidence", "what", "process 1 called fork()", "pid", 1,
			 "tid", 1, "thread", "main thread", "what", text, "pid", pid, "tid", pid,
			 "thread", "main thread", "at", at);
}

static void join(json_t *finding, int pid, const char *awaited)
{
	json_auto_t *other = finding_of(pid, awaited);

	alike_join(finding, other);
}

static const char *what_of(const json_t *finding)
{
	return jsontext_at(json_array_get(json_object_get(finding, "evidence"), 1), "what");
}

static void children_of_one_finding_are_one_step(void **state)
{
	json_auto_t *finding = finding_of(50, "Lock \"lock\"");

	(void)state;
	join(finding, 51, "Lock \"lock\"");
	assert_string_equal(what_of(finding),
			    "the main thread of the child 50 waits for Lock \"lock\"");
	join(finding, 51, "Lock \"lock\"");
	join(finding, 52, "Lock \"other\"");
	assert_string_equal(what_of(finding),
			    "the main thread of the child 50 waits for Lock \"lock\"");
	for (int i = 52; i < 60; i++)
		join(finding, i, "Lock \"lock\"");
	assert_string_equal(what_of(finding),
			    "10 processes wait alike at work (train.py:8) for Lock \"lock\": "
			    "50, 51, 52, 53, 54 and 5 more");
}

static void there_is_room_for_some_hundred(void **state)
{
	json_auto_t *finding = finding_of(50, "Lock \"lock\"");

	(void)state;
	for (int i = 51; i < 500; i++)
		join(finding, i, "Lock \"lock\"");
	assert_memory_equal(what_of(finding), "256 processes", 13);
}

static void nobody_is_no_step(void **state)
{
	(void)state;
	make(0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		T(fifty_processes_are_one_step),
		T(two_stay_as_they_are),
		T(six_are_told_by_name),
		T(namesakes_are_told_by_number),
		T(threads_of_several_processes_are_told_by_process),
		T(ranks_are_told_by_number),
		T(an_unknown_place_is_left_out),
		T(another_line_is_another_wait),
		T(another_way_there_is_another_wait),
		T(another_line_of_a_library_is_the_same_wait),
		T(native_stacks_are_compared_if_there_are_no_others),
		T(another_thing_is_another_wait),
		T(another_object_of_one_process_is_another_wait),
		T(an_object_may_have_another_address_in_each_process),
		T(a_descriptor_is_another_one_in_each_process),
		T(a_descriptor_of_all_is_told),
		T(another_descriptor_of_one_process_is_another_wait),
		T(half_a_descriptor_stays),
		T(another_owner_is_another_wait),
		T(single_ones_stay_single),
		T(two_groups_are_two_steps),
		T(who_differs_from_the_crowd_is_first),
		T(three_of_four_are_a_crowd),
		T(those_of_a_circle_keep_their_order),
		T(without_a_crowd_the_order_stays),
		T(children_of_one_finding_are_one_step),
		T(there_is_room_for_some_hundred),
		T(nobody_is_no_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
