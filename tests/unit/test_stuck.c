/*
 * Ranks of torch.distributed: in which collective their frames say that they are, which of them wait in vain,
 * and how that is put. Neighbours: tools/ranks/collective.h, tools/ranks/stuck.h.
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

#include "ranks/stuck.h"

#define TORCH "/usr/lib/python3/dist-packages/torch/"
#define C10D TORCH "distributed/distributed_c10d.py"
#define OWN "main\t/home/a/train.py\t88\n<module>\t/home/a/train.py\t99\n"

/* ---- frames ---- */

static void assert_in(const char *stack, const char *name, const char *place)
{
	struct collective in = collective_of(stack);

	assert_string_equal(in.name, name);
	assert_string_equal(in.place, place);
}

static void the_call_of_the_program_names_the_collective(void **state)
{
	(void)state;
	assert_in("all_reduce\t" C10D "\t1541\n" OWN, "all_reduce", "train.py:88");
	assert_in("all_reduce\t" C10D "\t2942\n_exception_logger.<locals>.wrapper\t" TORCH
		  "distributed/c10d_logger.py\t81\n" OWN,
		  "all_reduce", "train.py:88");
	assert_in("all_gather\t" C10D "\t2\nall_gather_object\t" C10D "\t3\n" OWN,
		  "all_gather_object", "train.py:88");
	assert_in("_store_based_barrier\t" C10D "\t2\nnew_group\t" C10D "\t3\n" OWN, "new_group",
		  "train.py:88");
}

static void modules_that_reduce_have_names(void **state)
{
	(void)state;
	assert_in("DistributedDataParallel._sync_buffers\t" TORCH
		  "nn/parallel/distributed.py\t4\nModule._call_impl\t" TORCH
		  "nn/modules/module.py\t5\n" OWN,
		  "DistributedDataParallel", "train.py:88");
	assert_in("_engine_run_backward\t" TORCH "autograd/graph.py\t8\nbackward\t" TORCH
		  "autograd/__init__.py\t9\nTensor.backward\t" TORCH "_tensor.py\t7\n" OWN,
		  "backward", "train.py:88");
	assert_true(collective_of("backward\t" TORCH "autograd/__init__.py\t9\n" OWN).by_backward);
}

static void the_store_is_asked_again_and_again(void **state)
{
	(void)state;
	assert_true(collective_of("_tcp_rendezvous\t" TORCH "distributed/rendezvous.py\t1\n"
				  "init_process_group\t" C10D "\t2\n" OWN)
			    .by_store);
	assert_true(collective_of("monitored_barrier\t" C10D "\t2\n" OWN).by_store);
	assert_false(collective_of("barrier\t" C10D "\t2\n" OWN).by_store);
}

static void work_begun_before_is_told_by_its_wait(void **state)
{
	struct collective in = collective_of_work(OWN);

	(void)state;
	assert_string_equal(in.name, "Work.wait");
	assert_string_equal(in.place, "train.py:88");
	assert_true(collective_is_work(&in));
	in = collective_of("all_reduce\t" C10D "\t1541\n" OWN);
	assert_false(collective_is_work(&in));
}

static void other_frames_are_in_no_collective(void **state)
{
	(void)state;
	assert_in("", "", "");
	assert_in("no tabs at all", "", "");
	assert_in(OWN, "", "");
	assert_in("all_reduce\t/home/a/distributed_c10d.py\t1\n" OWN, "", "");
	assert_in("Condition.wait\t/usr/lib/python3.11/threading.py\t3\nall_reduce\t" C10D "\t1\n",
		  "", "");
	assert_in("forward\t/home/a/model.py\t1\nDistributedDataParallel.forward\t" TORCH
		  "nn/parallel/distributed.py\t4\n" OWN,
		  "", "");
	assert_in("Linear.forward\t" TORCH "nn/modules/linear.py\t1\n"
		  "DistributedDataParallel.forward\t" TORCH "nn/parallel/distributed.py\t4\n" OWN,
		  "", "");
	assert_in("sleep\t" TORCH "distributed/elastic/agent/server/api.py\t1\n"
		  "run\t" TORCH "distributed/run.py\t2\n",
		  "", "");
}

/* ---- ranks ---- */

static const struct collective reduce = {.name = "all_reduce", .place = "train.py:88"},
			       barrier = {.name = "barrier", .place = "train.py:120"};
static struct stuck_rank ranks[5];

static void all_wait(uint32_t count, const struct collective *in)
{
	memset(ranks, 0, sizeof(ranks));
	for (uint32_t i = 0; i < count; i++)
		ranks[i] = (struct stuck_rank){.number = i, .state = RANK_WAITS, .in = in};
}

static void will_not_come(uint32_t number, enum rank_state how, const char *what)
{
	ranks[number] = (struct stuck_rank){.number = number, .state = how, .what = what};
}

static void assert_stuck(uint32_t count, uint32_t stuck, const char *text)
{
	char *found;

	assert_int_equal(stuck_find(ranks, count, count), stuck);
	found = stuck_text(ranks, count);
	if (stuck)
		assert_string_equal(found, text);
	free(found);
}

static void different_collectives_are_told(void **state)
{
	(void)state;
	all_wait(4, &reduce);
	ranks[2].in = &barrier;
	assert_stuck(4, 4,
		     "ranks 0, 1 and 3 wait in all_reduce (train.py:88); rank 2 waits in barrier "
		     "(train.py:120)");
}

static void a_rank_that_ended_is_told(void **state)
{
	(void)state;
	all_wait(5, &reduce);
	will_not_come(4, RANK_ENDED, "ended with status 1");
	assert_stuck(5, 4,
		     "ranks 0 to 3 wait in all_reduce (train.py:88); rank 4 ended with status 1");
	assert_true(stuck_is_certain(ranks, 5));
	will_not_come(0, RANK_DEAD, "is deadlocked");
	assert_stuck(
		5, 3,
		"ranks 1 to 3 wait in all_reduce (train.py:88); rank 0 is deadlocked; rank 4 ended "
		"with status 1");
}

static void an_unknown_group_may_not_need_it(void **state)
{
	static const struct collective work = {.name = "Work.wait", .place = "train.py:90"};

	(void)state;
	all_wait(4, &reduce);
	ranks[1].in = &work;
	will_not_come(3, RANK_ENDED, "ended with status 0");
	assert_stuck(4, 3,
		     "ranks 0 and 2 wait in all_reduce (train.py:88); rank 1 waits in Work.wait "
		     "(train.py:90); rank 3 ended with status 0");
	assert_false(stuck_is_certain(ranks, 4));
}

static void who_waits_for_a_rank_that_runs_is_not_stuck(void **state)
{
	(void)state;
	all_wait(4, &reduce);
	ranks[2].in = &barrier;
	ranks[3].state = RANK_OPEN;
	assert_stuck(4, 0, NULL);
	all_wait(4, &reduce);
	assert_int_equal(stuck_find(ranks, 4, 5), 0); /* one is on another host */
}

static void all_in_one_place_wait_for_the_network(void **state)
{
	(void)state;
	all_wait(4, &reduce);
	assert_stuck(4, 0, NULL);
}

/* Two groups of two: one stands still, the other waits for a rank that works. */
static void groups_are_apart(void **state)
{
	static const uint32_t low[] = {0, 1}, high[] = {2, 3};

	(void)state;
	all_wait(4, &reduce);
	for (uint32_t i = 0; i < 4; i++) {
		ranks[i].needs = i < 2 ? low : high;
		ranks[i].needs_count = 2;
	}
	ranks[1].in = &barrier;
	ranks[3].state = RANK_OPEN;
	assert_stuck(4, 2,
		     "rank 0 waits in all_reduce (train.py:88); rank 1 waits in barrier "
		     "(train.py:120)");
	assert_false(ranks[2].stuck);
	ranks[1].in = &reduce;
	ranks[3].state = RANK_ENDED; /* lacked by the other group alone */
	ranks[3].what = "ended with status 1";
	ranks[0].state = RANK_OPEN;
	assert_stuck(4, 1, "rank 2 waits in all_reduce (train.py:88); rank 3 ended with status 1");
}

/* A receives from B, which receives from C, which works. */
static void a_chain_is_followed(void **state)
{
	static const struct collective recv = {.name = "recv", .place = "stage.py:7"};
	static const uint32_t next[] = {1, 2, 0};

	(void)state;
	all_wait(3, &recv);
	for (uint32_t i = 0; i < 3; i++) {
		ranks[i].needs = &next[i];
		ranks[i].needs_count = 1;
	}
	ranks[2].state = RANK_OPEN;
	assert_stuck(3, 0, NULL);
	ranks[2].state = RANK_WAITS;
	ranks[2].in = &barrier;
	assert_stuck(3, 3,
		     "ranks 0 and 1 wait in recv (stage.py:7); rank 2 waits in barrier "
		     "(train.py:120)");
}

/* At one place, but that is no network's fault: nobody sends. */
static void a_ring_of_receivers_is_told(void **state)
{
	static const struct collective recv = {.name = "recv", .place = "ring.py:11"};

	(void)state;
	all_wait(3, &recv);
	assert_stuck(3, 3, "ranks 0 to 2 wait in recv (ring.py:11)");
	assert_false(stuck_is_certain(ranks, 3));
	ranks[1].state = RANK_OPEN;
	assert_stuck(3, 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_call_of_the_program_names_the_collective),
		cmocka_unit_test(modules_that_reduce_have_names),
		cmocka_unit_test(the_store_is_asked_again_and_again),
		cmocka_unit_test(work_begun_before_is_told_by_its_wait),
		cmocka_unit_test(other_frames_are_in_no_collective),
		cmocka_unit_test(different_collectives_are_told),
		cmocka_unit_test(a_rank_that_ended_is_told),
		cmocka_unit_test(an_unknown_group_may_not_need_it),
		cmocka_unit_test(who_waits_for_a_rank_that_runs_is_not_stuck),
		cmocka_unit_test(all_in_one_place_wait_for_the_network),
		cmocka_unit_test(groups_are_apart),
		cmocka_unit_test(a_chain_is_followed),
		cmocka_unit_test(a_ring_of_receivers_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
