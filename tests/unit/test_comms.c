/*
 * Communicators of NCCL: which ranks wait in vain, by what each has entered, and how that is put. Neighbour: tools/ranks/comms.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
/* clang-format on */

#include "ranks/comms.h"
#include "ranks/numbers.h"

#define RANKS 4u
#define WORLD 7u
#define PART 9u

static struct comm_process process[RANKS];
static struct comm_rank rank[2 * RANKS];
static struct mpsan_comm_peer peer[RANKS][RANKS];
static struct comms comms;

/* Every process waits, and has entered three collectives of the world. */
static int set_up(void **state)
{
	(void)state;
	memset(peer, 0, sizeof(peer));
	for (uint32_t i = 0; i < RANKS; i++) {
		process[i] = (struct comm_process){.state = RANK_WAITS, .place = ""};
		rank[i] = (struct comm_rank){
			.comm = WORLD,
			.rank = i,
			.ranks = RANKS,
			.process = i,
			.call = {.number = 3,
				 .elements = 8,
				 .what = MPSAN_COLLECTIVE_ALL_REDUCE,
				 .type = MPSAN_NCCL_F32,
				 .root = -1},
			.peer = peer[i],
			.peers = RANKS,
		};
	}
	comms = (struct comms){process, RANKS, rank, RANKS};
	return 0;
}

static void assert_stuck(uint32_t count, const char *words)
{
	char *text;

	comms_sort(&comms);
	assert_int_equal(comms_find(&comms), count);
	text = comms_text(&comms);
	assert_string_equal(text, words);
	free(text);
}

static void enters(uint32_t number, uint32_t what, int32_t root, uint64_t count)
{
	rank[number].call.what = what;
	rank[number].call.root = root;
	rank[number].call.number = count;
}

static void all_in_one_collective_wait_for_the_device(void **state)
{
	(void)state;
	assert_stuck(0, "");
}

static void another_collective_holds_all(void **state)
{
	(void)state;
	enters(2, MPSAN_COLLECTIVE_BROADCAST, 1, 3);
	process[0].place = "a.py:1";
	assert_stuck(
		4,
		"communicator of 4 ranks: ranks 1 and 3 wait in all_reduce #3 (f32, 8 elements); rank 0 waits in "
		"all_reduce #3 (f32, 8 elements) at a.py:1; rank 2 waits in broadcast #3 (f32, 8 elements, root 1)");
}

static void types_matter_where_something_is_added(void **state)
{
	(void)state;
	rank[1].call.type = MPSAN_NCCL_I32;
	comms_sort(&comms);
	assert_int_equal(comms_find(&comms), 4);
	for (uint32_t i = 0; i < RANKS; i++)
		enters(i, MPSAN_COLLECTIVE_ALL_GATHER, -1, 3);
	assert_int_equal(comms_find(&comms), 0);
	rank[1].call.type = MPSAN_NCCL_U8;
	assert_int_equal(comms_find(&comms), 4);
	rank[1].call.elements *= 4;
	assert_int_equal(comms_find(&comms), 0);
}

static void one_that_is_behind_may_come(void **state)
{
	(void)state;
	rank[2].call.number = 2;
	assert_stuck(0, "");
	process[2].state = RANK_OPEN;
	assert_stuck(0, "");
}

static void one_that_has_ended_will_not_come(void **state)
{
	(void)state;
	rank[2].call.number = 1;
	process[2].state = RANK_ENDED;
	process[2].what = "ended with status 1";
	assert_stuck(
		3,
		"communicator of 4 ranks: ranks 0, 1 and 3 wait in all_reduce #3 (f32, 8 elements); rank 2 has "
		"entered 1 collective only, and ended with status 1");
	assert_true(rank[2].lacked && rank[2].sure && !rank[1].lacked);
}

static void one_that_ended_after_all_is_not_missed(void **state)
{
	(void)state;
	process[2].state = RANK_ENDED;
	process[2].what = "ended with status 0";
	assert_stuck(0, "");
}

static void one_that_runs_keeps_those_that_need_it(void **state)
{
	(void)state;
	process[1].state = RANK_OPEN;
	rank[1].call.number = 2;
	rank[2].call.number = 1;
	process[2].state = RANK_DEAD;
	process[2].what = "is deadlocked";
	assert_stuck(
		2,
		"communicator of 4 ranks: ranks 0 and 3 wait in all_reduce #3 (f32, 8 elements); rank 2 has entered "
		"1 collective only, and is deadlocked");
}

static void one_that_has_left_will_not_come(void **state)
{
	(void)state;
	rank[3].call.number = 0;
	rank[3].left = true;
	process[3].state = RANK_OPEN;
	assert_stuck(
		3,
		"communicator of 4 ranks: ranks 0 to 2 wait in all_reduce #3 (f32, 8 elements); rank 3 has entered "
		"no collective, and has left the communicator");
	set_up(NULL);
	for (uint32_t i = 0; i < 3; i++)
		rank[i].left = true;
	rank[3].call.number = 2;
	assert_stuck(0, "");
}

/* Who sends to others does not wait for them, and who only receives waits for the root alone. */
static void roots_matter(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < RANKS; i++)
		enters(i, MPSAN_COLLECTIVE_BROADCAST, 0, i == 3 ? 2 : 3);
	process[3].state = RANK_ENDED;
	process[3].what = "ended";
	assert_stuck(0, "");
	set_up(NULL);
	for (uint32_t i = 0; i < RANKS; i++)
		enters(i, MPSAN_COLLECTIVE_REDUCE, 0, i == 3 ? 2 : 3);
	process[3].state = RANK_ENDED;
	process[3].what = "ended";
	assert_stuck(
		1,
		"communicator of 4 ranks: rank 0 waits in reduce #3 (f32, 8 elements, root 0); rank 3 has entered 2 "
		"collectives only, and ended");
}

static void messages_are_counted_by_pairs(void **state)
{
	(void)state;
	peer[0][1].received = 2;
	peer[1][0].sent = 1;
	rank[0].message = (struct mpsan_comm_call){
		.number = 2, .what = MPSAN_COLLECTIVE_RECV, .root = 1, .elements = 1};
	process[1].state = RANK_ENDED;
	process[1].what = "ended";
	assert_stuck(
		1,
		"communicator of 4 ranks: rank 0 waits in recv #2 from rank 1 (i8, 1 element); rank 1 ended");
	assert_true(rank[1].sure);
	peer[0][1].received = 1;
	assert_stuck(0, "");
	set_up(NULL);
	peer[0][1].sent = 1;
	process[1].state = RANK_ENDED;
	process[1].what = "ended";
	assert_stuck(1, "communicator of 4 ranks: rank 0 waits in send #1 to rank 1; rank 1 ended");
	assert_false(rank[1].sure);
}

/* Of a damaged log. */
static void lists_that_are_too_short_say_nothing(void **state)
{
	(void)state;
	peer[0][3].received = 1;
	process[3].state = RANK_ENDED;
	process[3].what = "ended";
	rank[0].peers = 3;
	assert_stuck(0, "");
	rank[0].peers = RANKS;
	rank[3].peers = 0;
	assert_stuck(0, "");
}

static void what_graphs_hold_is_not_counted(void **state)
{
	(void)state;
	rank[2].call.number = 1;
	rank[2].graphs = true;
	process[2].state = RANK_ENDED;
	process[2].what = "ended";
	comms_sort(&comms);
	assert_int_equal(comms_find(&comms), 3);
	assert_false(rank[2].sure);
}

static void those_that_join_wait_for_the_absent(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < RANKS; i++) {
		rank[i].call = (struct mpsan_comm_call){0};
		rank[i].joins = true;
	}
	assert_stuck(0, "");
	rank[3].joins = false;
	rank[3].absent = true;
	process[3].state = RANK_OPEN;
	assert_stuck(0, "");
	process[3].state = RANK_ENDED;
	process[3].what = "ended";
	assert_stuck(
		3,
		"communicator of 4 ranks: ranks 0 to 2 wait in ncclCommInitRank; rank 3 has not joined, and ended");
	assert_false(rank[3].sure);
}

static void communicators_can_hold_each_other(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		rank[RANKS + i] = rank[i];
		rank[RANKS + i].comm = PART;
		rank[RANKS + i].ranks = 2;
	}
	comms.ranks = RANKS + 2;
	rank[0].call.number = 2;
	rank[RANKS + 1].call.number = 1;
	assert_stuck(
		4,
		"communicator of 4 ranks: ranks 1 to 3 wait in all_reduce #3 (f32, 8 elements); rank 0 has entered 2 "
		"collectives only, and waits in all_reduce #3 (f32, 8 elements) of another communicator. communicator "
		"of 2 ranks: rank 0 waits in all_reduce #3 (f32, 8 elements); rank 1 has entered 1 collective only, "
		"and waits in all_reduce #3 (f32, 8 elements) of another communicator");
	rank[RANKS + 1].call.number = 3;
	assert_stuck(0, "");
}

static void other_collectives_need_all_that_take_part(void **state)
{
	const uint32_t others[] = {0, 1, 3};

	(void)state;
	rank[2].call.number = 2;
	process[2].what = "waits in barrier (a.py:9)";
	process[2].needs = others;
	process[2].needs_count = 3;
	assert_stuck(
		4,
		"communicator of 4 ranks: ranks 0, 1 and 3 wait in all_reduce #3 (f32, 8 elements); rank 2 has entered "
		"2 collectives only, and waits in barrier (a.py:9)");
	process[3].state = RANK_OPEN;
	assert_stuck(0, "");
}

static void nothing_is_no_job(void **state)
{
	(void)state;
	comms = (struct comms){0};
	assert_stuck(0, "");
}

static void assert_numbers(const uint32_t *number, uint32_t count, const char *words)
{
	char *text = numbers_text(number, count);

	assert_string_equal(text, words);
	free(text);
}

static void runs_of_numbers_are_ranges(void **state)
{
	const uint32_t number[] = {0, 1, 3, 4, 5, 9};

	(void)state;
	assert_numbers(number + 5, 1, "rank 9");
	assert_numbers(number, 2, "ranks 0 and 1");
	assert_numbers(number, 6, "ranks 0, 1, 3 to 5 and 9");
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_in_one_collective_wait_for_the_device),
		TEST(another_collective_holds_all),
		TEST(types_matter_where_something_is_added),
		TEST(one_that_is_behind_may_come),
		TEST(one_that_has_ended_will_not_come),
		TEST(one_that_ended_after_all_is_not_missed),
		TEST(one_that_runs_keeps_those_that_need_it),
		TEST(one_that_has_left_will_not_come),
		TEST(roots_matter),
		TEST(messages_are_counted_by_pairs),
		TEST(lists_that_are_too_short_say_nothing),
		TEST(what_graphs_hold_is_not_counted),
		TEST(those_that_join_wait_for_the_absent),
		TEST(communicators_can_hold_each_other),
		TEST(other_collectives_need_all_that_take_part),
		TEST(nothing_is_no_job),
		TEST(runs_of_numbers_are_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
