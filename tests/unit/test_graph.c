/*
 * The wait-for graph on small worlds: who is open, who is dead, which circle a thread leads to.
 * A world is drawn by hand; no process is asked. Neighbour: tools/waitgraph/graph.h.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>

#include "waitgraph/graph.h"

#define THREADS_MAX 8u

static struct snapshot snapshot;
static struct waits waits;
static struct graph graph;

/* Threads of these processes, all open. */
static void draw(uint32_t processes, const uint32_t *threads_of)
{
	waits.snapshot = &snapshot;
	for (uint32_t p = 0; p < processes; p++) {
		uint32_t begin = snapshot.threads.count;

		for (uint32_t i = 0; i < threads_of[p]; i++) {
			*ARRAY_ADD(&snapshot.threads) =
				(struct snapshot_thread){.slot = p,
							 .process = p,
							 .tid = 100 * (p + 1) + i,
							 .runs_fd = -1,
							 .call_fd = -1};
			*ARRAY_ADD(&waits.item) = (struct wait){.holder = SNAPSHOT_NONE};
		}
		*ARRAY_ADD(&snapshot.processes) =
			(struct snapshot_process){p, 100 * (p + 1), begin, snapshot.threads.count};
	}
}

static int finish(void **state)
{
	(void)state;
	graph_finish(&graph);
	free(waits.item.item);
	free(waits.who.item);
	free(snapshot.threads.item);
	free(snapshot.processes.item);
	waits = (struct waits){0};
	snapshot = (struct snapshot){0};
	return 0;
}

/* Thread `who` waits in this way for up to two others. */
static void wait_for(uint32_t who, enum wait_end end, uint32_t one, uint32_t other)
{
	struct wait *wait = &waits.item.item[who];

	wait->end = end;
	wait->begin = waits.who.count;
	if (one != SNAPSHOT_NONE)
		*ARRAY_ADD(&waits.who) = one;
	if (other != SNAPSHOT_NONE)
		*ARRAY_ADD(&waits.who) = other;
	wait->count = waits.who.count - wait->begin;
}

#define OWNED(who, owner) wait_for(who, WAIT_OWNERS, owner, SNAPSHOT_NONE)
#define ANYBODY(who, process) wait_for(who, WAIT_PROCESSES, process, SNAPSHOT_NONE)

static void assert_dead(uint32_t threads)
{
	graph_solve(&graph, &waits, UINT64_MAX);
	for (uint32_t i = 0; i < graph.solved.count; i++)
		assert_int_equal(graph.solved.dead[i], threads >> i & 1);
}

static void a_circle_of_owners_is_dead(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){4});
	OWNED(0, 1);
	OWNED(1, 2);
	OWNED(2, 1);
	assert_dead(7);
	assert_int_equal(job_cycle(&graph.solved, 0), 1);
	assert_int_equal(job_cycle(&graph.solved, 2), 2);
	assert_int_equal(job_cycle(&graph.solved, 3), JOB_NONE);
	assert_int_equal(graph.solved.group[0], graph.solved.group[2]);
	assert_int_equal(graph.solved.group[3], JOB_NONE);
}

static void a_chain_that_ends_at_somebody_who_runs_is_open(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){4});
	OWNED(0, 1);
	OWNED(1, 2);
	OWNED(2, 3);
	assert_dead(0);
}

static void an_owner_that_is_gone_kills_who_waits(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){3});
	wait_for(0, WAIT_NOBODY, SNAPSHOT_NONE, SNAPSHOT_NONE);
	OWNED(1, 0);
	assert_dead(3);
	assert_int_equal(job_cycle(&graph.solved, 1), JOB_NONE);
}

/* Process 0 waits for itself, in memory that others of the job may come to; process 1 has two threads. */
static void memory_of_the_job_is_open_while_one_of_it_acts(void **state)
{
	(void)state;
	draw(2, (uint32_t[]){1, 2});
	ANYBODY(0, 0);
	assert_dead(1);
	waits.item.item[0].by_job = true;
	assert_dead(0);
	waits.item.item[1].serves = waits.item.item[2].serves = true;
	assert_dead(1);
	waits.item.item[2].serves = false;
	assert_dead(0);
}

static void all_readers_must_let_go(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){4});
	wait_for(0, WAIT_OWNERS, 1, 2);
	OWNED(1, 0);
	assert_dead(3);
	assert_int_equal(job_cycle(&graph.solved, 0), 0);
}

static void anybody_of_a_process_may_help(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){3});
	ANYBODY(0, 0);
	ANYBODY(1, 0);
	assert_dead(0);
	ANYBODY(2, 0);
	assert_dead(7);
}

static void any_of_several_processes_may_help(void **state)
{
	(void)state;
	draw(3, (uint32_t[]){1, 1, 1});
	wait_for(0, WAIT_PROCESSES, 1, 2);
	ANYBODY(1, 0);
	assert_dead(0);
	ANYBODY(2, 0);
	assert_dead(7);
	assert_int_equal(graph.solved.group[0], graph.solved.group[2]);
}

static void circles_apart_are_groups_apart(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){5});
	OWNED(0, 1);
	OWNED(1, 0);
	OWNED(2, 3);
	OWNED(3, 2);
	assert_dead(15);
	assert_int_not_equal(graph.solved.group[0], graph.solved.group[2]);
}

static void a_mere_holder_shows_the_circle_of_the_dead(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){2});
	ANYBODY(0, 0);
	ANYBODY(1, 0);
	waits.item.item[0].holder = 1;
	waits.item.item[1].holder = 0;
	assert_dead(3);
	assert_int_equal(job_cycle(&graph.solved, 0), 0);
}

/* Who polls may send something in between, but not to itself if it asks for what it lacks all the time. */
static void who_polls_helps_others(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){2});
	ANYBODY(0, 0);
	ANYBODY(1, 0);
	waits.item.item[0].kind = MPSAN_WAIT_READY;
	waits.item.item[0].ends = MPSAN_ENDS_POLL;
	assert_dead(0);
	graph_solve(&graph, &waits, JOB_RENEWED);
	assert_false(graph.solved.dead[0]);
	waits.item.item[0].renewed = true;
	graph_solve(&graph, &waits, JOB_RENEWED);
	assert_false(graph.solved.dead[0]); /* the other one is helped, and helps it */
	waits.item.item[1].kind = MPSAN_WAIT_JOIN;
	graph_solve(&graph, &waits, JOB_RENEWED);
	assert_true(graph.solved.dead[0] && graph.solved.dead[1]);
	waits.item.item[1].ends = MPSAN_ENDS_POLL;
	graph_solve(&graph, &waits, JOB_RENEWED);
	assert_false(graph.solved.dead[0]);
}

/* The threads for which, in the end, none of those at work is of use. */
static void assert_hung(uint32_t threads, const enum at_work *work)
{
	graph_solve_work(&graph, &waits, work);
	for (uint32_t i = 0; i < graph.solved.count; i++)
		assert_int_equal(graph.solved.dead[i], threads >> i & 1);
}

/* Thread 0 waits for a lock of 1, which waits for one of 2; 3 waits for anybody to send something, and so does 4 for 3. */
static void draw_lines(void)
{
	draw(1, (uint32_t[]){5});
	OWNED(0, 1);
	OWNED(1, 2);
	ANYBODY(3, 0);
	OWNED(4, 3);
}

static void nobody_at_work_helps_nobody(void **state)
{
	(void)state;
	draw_lines();
	assert_hung(31, (enum at_work[5]){AT_WORK_NOT});
}

static void who_may_do_anything_helps_all(void **state)
{
	(void)state;
	draw_lines();
	assert_hung(0, (enum at_work[5]){[2] = AT_WORK});
}

static void who_ticks_helps_its_own_waiters(void **state)
{
	(void)state;
	draw_lines();
	assert_hung(24, (enum at_work[5]){[2] = AT_WORK_FOR_WAITERS});
	assert_int_equal(graph.solved.help[0], AT_WORK_FOR_WAITERS | AT_WORK_FOR_PROCESS);
}

static void all_owners_have_to_go_on(void **state)
{
	(void)state;
	draw(1, (uint32_t[]){3});
	wait_for(0, WAIT_OWNERS, 1, 2);
	assert_hung(5, (enum at_work[3]){[1] = AT_WORK});
	assert_hung(0, (enum at_work[3]){[1] = AT_WORK, [2] = AT_WORK_FOR_WAITERS});
}

/* Thread 0 waits for memory that process 1 shares, for what that one is to write into a pipe, and for its end. */
static void a_main_thread_stands_for_its_process(void **state)
{
	(void)state;
	draw(2, (uint32_t[]){1, 2});
	ANYBODY(0, 1);
	assert_hung(7, (enum at_work[3]){[1] = AT_WORK_FOR_PROCESS});
	waits.item.item[0].kind = MPSAN_WAIT_PIPE_READ;
	assert_hung(6, (enum at_work[3]){[1] = AT_WORK_FOR_PROCESS});
	waits.item.item[0].kind = MPSAN_WAIT_PROCESS;
	assert_hung(6, (enum at_work[3]){[1] = AT_WORK_FOR_PROCESS});
	assert_hung(7, (enum at_work[3]){[2] = AT_WORK_FOR_PROCESS});
	assert_hung(5, (enum at_work[3]){[1] = AT_WORK_FOR_WAITERS});
}

/* Random worlds: a dead thread waits for the dead alone, an open one can name who helps. */
static void what_is_dead_waits_for_the_dead(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 2000; round++) {
		draw(2, (uint32_t[]){4, 4});
		for (uint32_t i = 0; i < THREADS_MAX; i++) {
			uint32_t one = (uint32_t)rand() % THREADS_MAX;

			if (rand() % 4 && one != i)
				OWNED(i, one);
			else if (rand() % 2)
				ANYBODY(i, (uint32_t)rand() % 2);
		}
		graph_solve(&graph, &waits, UINT64_MAX);
		for (uint32_t i = 0; i < THREADS_MAX; i++) {
			const struct wait *wait = &waits.item.item[i];
			uint32_t who = wait->count ? waits.who.item[wait->begin] : 0;
			bool helped = wait->end == WAIT_OPEN;

			if (wait->end == WAIT_OWNERS)
				helped = !graph.solved.dead[who];
			for (uint32_t k = 4 * who; wait->end == WAIT_PROCESSES && k < 4 * who + 4;
			     k++)
				helped = helped || !graph.solved.dead[k];
			assert_int_equal(graph.solved.dead[i], !helped);
		}
		finish(NULL);
	}
}

#define STORY(name) cmocka_unit_test_teardown(name, finish)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(a_circle_of_owners_is_dead),
		STORY(a_chain_that_ends_at_somebody_who_runs_is_open),
		STORY(an_owner_that_is_gone_kills_who_waits),
		STORY(all_readers_must_let_go),
		STORY(anybody_of_a_process_may_help),
		STORY(any_of_several_processes_may_help),
		STORY(memory_of_the_job_is_open_while_one_of_it_acts),
		STORY(circles_apart_are_groups_apart),
		STORY(a_mere_holder_shows_the_circle_of_the_dead),
		STORY(who_polls_helps_others),
		STORY(nobody_at_work_helps_nobody),
		STORY(who_may_do_anything_helps_all),
		STORY(who_ticks_helps_its_own_waiters),
		STORY(all_owners_have_to_go_on),
		STORY(a_main_thread_stands_for_its_process),
		STORY(what_is_dead_waits_for_the_dead),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
