/*
 * Stories of lock-order-inversion.
 * Neighbours: story_facts.h, tools/rules/locks/lock_order_inversion.c.
 */
#include "story_facts.h"

#define ORDERS 64u
#define A 0x1000ull
#define B 0x2000ull
#define C 0x3000ull
#define D 0x4000ull
#define GATE 0x5000ull

static struct world world;
static struct fact_order orders[ORDERS];
static uint32_t lists[FACT_ORDER_LISTS];

static int begin(void **state)
{
	(void)state;
	world_init(&world);
	memset(orders, 0, sizeof(orders));
	memset(lists, 0, sizeof(lists));
	world.facts.orders = orders;
	world.facts.order_lists = lists;
	return 0;
}

/* Thread `tid` takes `second` while it holds `first`, and that is the last order so far. */
static struct fact_order *take(uint32_t tid, uint64_t first, uint64_t second)
{
	uint32_t i = world.facts.order_count++;

	assert_true(i < ORDERS);
	orders[i] =
		(struct fact_order){.at = {PARENT, PARENT, tid, 8192 + 64 * i, (10 + i) * SECOND},
				    .ev = {.first = first,
					   .first_kind = MPSAN_LOCK_MUTEX,
					   .second = second,
					   .second_kind = MPSAN_LOCK_MUTEX}};
	fact_order_enter(orders, lists, i);
	return &orders[i];
}

static void set_kinds(struct fact_order *order, uint64_t first, uint64_t second)
{
	order->ev.first_kind = first;
	order->ev.second_kind = second;
}

static struct verdict announce_order(uint32_t index)
{
	struct trigger trigger = {TRIGGER_ORDER, index};
	struct verdict verdict = {.sink = {verdict_add}};

	story_run(&world.facts, &trigger, &verdict.sink);
	return verdict;
}

static struct verdict announce_last(void)
{
	return announce_order(world.facts.order_count - 1);
}

#define assert_told() assert_int_equal(announce_last().count, 1)
#define assert_silent() assert_int_equal(announce_last().count, 0)

static void inversion_fires_for_two_threads(void **state)
{
	struct verdict verdict;

	(void)state;
	take(1, A, B);
	assert_silent();
	take(2, B, A);
	verdict = announce_last();
	assert_int_equal(verdict.count, 1);
	assert_int_equal(verdict.last[0].rule, RULE_lock_order_inversion);
	assert_int_equal(verdict.last[0].grade, GRADE_WARNING);
	assert_int_equal(verdict.last[0].order, 2);
	assert_int_equal(verdict.last[0].earlier[0], 1);
	assert_int_equal(verdict.last[0].earlier[1], 0);
	assert_int_equal(verdict.last[0].earlier[2], 0);
	assert_int_equal(verdict.last[0].message_text->step[0].role, STEP_ORDER);
}

static void inversion_fires_for_circles_of_three_and_four(void **state)
{
	struct verdict verdict;

	(void)state;
	take(1, A, B);
	take(2, B, C);
	take(3, C, A);
	verdict = announce_last();
	assert_int_equal(verdict.count, 1);
	assert_int_equal(verdict.last[0].earlier[0], 1);
	assert_int_equal(verdict.last[0].earlier[1], 2);
	begin(state);
	take(1, A, B);
	take(2, B, C);
	take(3, C, D);
	assert_silent();
	take(4, D, A);
	assert_told();
}

static void inversion_fires_once(void **state)
{
	(void)state;
	take(1, A, B);
	take(2, B, A);
	assert_told();
	take(3, B, A);
	assert_silent();
	take(4, A, B);
	assert_silent();
}

static void inversion_fires_when_a_second_thread_comes(void **state)
{
	(void)state;
	take(1, A, B);
	take(1, B, A);
	assert_silent();
	take(2, A, B);
	assert_told();
}

static void inversion_fires_for_writers_and_for_a_writer_among_readers(void **state)
{
	(void)state;
	set_kinds(take(1, A, B), MPSAN_LOCK_RWLOCK_READ, MPSAN_LOCK_RWLOCK_WRITE);
	set_kinds(take(2, B, A), MPSAN_LOCK_RWLOCK_READ, MPSAN_LOCK_RWLOCK_WRITE);
	assert_told();
	begin(state);
	set_kinds(take(1, A, B), MPSAN_LOCK_RWLOCK_WRITE, MPSAN_LOCK_RWLOCK_READ);
	set_kinds(take(2, B, A), MPSAN_LOCK_RWLOCK_WRITE, MPSAN_LOCK_RWLOCK_READ);
	assert_told();
}

static void inversion_fires_for_semaphores_that_are_locks(void **state)
{
	struct fact_order *order;

	(void)state;
	set_kinds(take(1, A, B), MPSAN_LOCK_SEMAPHORE, MPSAN_LOCK_SEMAPHORE);
	order = take(2, B, A);
	set_kinds(order, MPSAN_LOCK_SEMAPHORE, MPSAN_LOCK_SEMAPHORE);
	order->ev.first_flags = order->ev.second_flags = MPSAN_LF_MUTUAL;
	assert_told();
}

static void inversion_is_silent_while_a_semaphore_may_be_a_signal(void **state)
{
	struct fact_order *order;

	(void)state;
	set_kinds(take(1, A, B), MPSAN_LOCK_SEMAPHORE, MPSAN_LOCK_MUTEX);
	order = take(2, B, A);
	set_kinds(order, MPSAN_LOCK_MUTEX, MPSAN_LOCK_SEMAPHORE);
	assert_silent();
	order->ev.second_flags = MPSAN_LF_MUTUAL;
	assert_told();
}

static void inversion_is_silent_about_readers(void **state)
{
	(void)state;
	set_kinds(take(1, A, B), MPSAN_LOCK_RWLOCK_READ, MPSAN_LOCK_RWLOCK_READ);
	set_kinds(take(2, B, A), MPSAN_LOCK_RWLOCK_READ, MPSAN_LOCK_RWLOCK_READ);
	assert_silent();
	set_kinds(take(3, B, A), MPSAN_LOCK_RWLOCK_WRITE, MPSAN_LOCK_RWLOCK_READ);
	assert_silent();
}

static void inversion_is_silent_about_one_thread(void **state)
{
	(void)state;
	take(1, A, B);
	take(1, B, A);
	assert_silent();
	begin(state);
	take(1, A, B);
	take(2, B, C);
	take(1, C, A);
	assert_silent();
}

static void inversion_is_silent_behind_a_gate(void **state)
{
	struct fact_order *one, *other;

	(void)state;
	one = take(1, A, B);
	one->ev.gate = GATE;
	other = take(2, B, A);
	assert_told();
	other->ev.gate3 = GATE;
	assert_silent();
	other->ev.gate3 = 0;
	other->ev.gates_more = mpsan_gate_bit(GATE);
	assert_silent();
	one->ev.gate = 0;
	one->ev.gates_more = other->ev.gates_more;
	assert_silent();
	one->ev.gates_more = 0;
	assert_told();
}

/* A holds the circle together, but the middle one of the three cannot be there with the first. */
static void inversion_is_silent_when_any_two_have_a_gate(void **state)
{
	struct fact_order *first = take(1, A, B), *middle = take(2, B, C);

	(void)state;
	take(3, C, A);
	assert_told();
	first->ev.gate = middle->ev.gate2 = GATE;
	assert_silent();
}

static void inversion_is_silent_about_locks_that_are_gone(void **state)
{
	(void)state;
	take(1, A, B)->over = 1;
	take(2, B, A);
	assert_silent();
	orders[0].over = 2; /* gone after both */
	assert_told();
}

static void inversion_is_silent_about_other_processes_and_one_order(void **state)
{
	(void)state;
	take(1, A, B);
	take(2, A, B);
	take(2, B, C);
	take(3, A, C);
	assert_silent();
	take(4, B, A)->at.by = CHILD;
	assert_silent();
}

/* Five locks: no further than four are looked for. */
static void inversion_is_silent_about_longer_circles(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 5; i++)
		take(i, i * A, i % 5 * A + A);
	assert_silent();
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(inversion_fires_for_two_threads),
		STORY(inversion_fires_for_circles_of_three_and_four),
		STORY(inversion_fires_once),
		STORY(inversion_fires_when_a_second_thread_comes),
		STORY(inversion_fires_for_writers_and_for_a_writer_among_readers),
		STORY(inversion_fires_for_semaphores_that_are_locks),
		STORY(inversion_is_silent_while_a_semaphore_may_be_a_signal),
		STORY(inversion_is_silent_about_readers),
		STORY(inversion_is_silent_about_one_thread),
		STORY(inversion_is_silent_behind_a_gate),
		STORY(inversion_is_silent_when_any_two_have_a_gate),
		STORY(inversion_is_silent_about_locks_that_are_gone),
		STORY(inversion_is_silent_about_other_processes_and_one_order),
		STORY(inversion_is_silent_about_longer_circles),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
