/* What is kept of a thread from one snapshot to the next, and when it is forgotten. Neighbour: tools/waits/ledger.h. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>

#include "waits/ledger.h"

#define NONE 99u

static struct snapshot snapshot;

static int begin(void **state)
{
	(void)state;
	snapshot = (struct snapshot){.ledger = memory_get(sizeof(struct ledger))};
	return 0;
}

static int finish(void **state)
{
	(void)state;
	ledger_destroy(snapshot.ledger);
	free(snapshot.threads.item);
	return 0;
}

/* A thread that was seen first at that time, and has stood since. */
static void add(uint32_t tid, uint64_t ns)
{
	*ARRAY_ADD(&snapshot.threads) = (struct snapshot_thread){
		.tid = tid, .still_ns = ns, .round_ns = ns, .same_ns = ns, .rest_ns = ns};
}

/* The next snapshot, without that thread. The others come in another order. */
static void follow_without(uint32_t gone)
{
	uint32_t count = snapshot.threads.count;
	struct snapshot_thread old[4];

	assert_true(count <= 4);
	for (uint32_t i = 0; i < count; i++)
		old[i] = snapshot.threads.item[i];
	snapshot.threads.count = 0;
	for (uint32_t i = count; i-- > 0;)
		if (old[i].tid != gone)
			*ARRAY_ADD(&snapshot.threads) = old[i];
	ledger_follow(&snapshot);
}

static uint32_t find(uint32_t tid)
{
	for (uint32_t i = 0; i < snapshot.threads.count; i++)
		if (snapshot.threads.item[i].tid == tid)
			return i;
	fail();
	return NONE;
}

static struct snapshot_thread *thread(uint32_t tid)
{
	return &snapshot.threads.item[find(tid)];
}

static struct ledger_entry *entry(uint32_t tid)
{
	return ledger_of(&snapshot, find(tid));
}

static void mark_all(uint32_t tid)
{
	entry(tid)->stand.idle = entry(tid)->round.told = true;
	entry(tid)->call.gives_up = entry(tid)->rest.hung = true;
}

/* The parts of its entry that are left: of stand, round, call and rest. */
static void assert_kept(uint32_t tid, const char *parts)
{
	const struct ledger_entry *kept = entry(tid);
	char text[8];

	snprintf(text, sizeof(text), "%s%s%s%s", kept->stand.idle ? "s" : "",
		 kept->round.told ? "r" : "", kept->call.gives_up ? "c" : "",
		 kept->rest.hung ? "e" : "");
	assert_string_equal(text, parts);
}

static void what_is_known_of_a_thread_is_kept_while_it_stands(void **state)
{
	(void)state;
	add(1, 10);
	add(2, 10);
	add(3, 10);
	follow_without(NONE);
	mark_all(2);
	for (int i = 0; i < 3; i++) {
		add(4 + (uint32_t)i, 20);
		follow_without(i ? 3 + (uint32_t)i : 1);
		assert_kept(2, "srce");
		assert_kept(3, "");
		assert_kept(4 + (uint32_t)i, "");
	}
}

static void each_part_is_forgotten_when_the_thread_moves_on(void **state)
{
	(void)state;
	add(1, 10);
	follow_without(NONE);
	mark_all(1);
	thread(1)->still_ns = 20; /* it runs, and is not known to have left its call */
	follow_without(NONE);
	assert_kept(1, "rce");
	thread(1)->still_ns = thread(1)->round_ns = 30; /* it is back */
	follow_without(NONE);
	assert_kept(1, "ce");
	assert_true(ledger_is_told(&snapshot, 0));
	thread(1)->still_ns = thread(1)->round_ns = thread(1)->same_ns = 40;
	follow_without(NONE);
	assert_kept(1, "e");
	assert_false(ledger_is_told(&snapshot, 0));
	thread(1)->rest_ns = 50;
	follow_without(NONE);
	assert_kept(1, "");
}

static void a_thread_that_ends_takes_all_with_it(void **state)
{
	(void)state;
	add(1, 10);
	add(2, 10);
	follow_without(NONE);
	mark_all(1);
	follow_without(1);
	add(1, 10); /* another one with its TID, whatever it does */
	follow_without(NONE);
	assert_kept(1, "");
	assert_kept(2, "");
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		cmocka_unit_test_setup_teardown(what_is_known_of_a_thread_is_kept_while_it_stands,
						begin, finish),
		cmocka_unit_test_setup_teardown(each_part_is_forgotten_when_the_thread_moves_on,
						begin, finish),
		cmocka_unit_test_setup_teardown(a_thread_that_ends_takes_all_with_it, begin,
						finish),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
