/* Stories of cow-growth. Neighbours: story_facts.h, tools/rules/workers/cow_growth.c. */
#include "story_facts.h"

#define OTHER 2
#define SLOTS 3
#define ACTS 8

static struct mpsan_process slot[SLOTS];
static struct fact_process process[SLOTS];
static struct fact_fork forks[2];
static struct fact_event events[ACTS];
static struct story_record records[ACTS];
static struct facts facts;

/* A parent that forks two workers at one place. */
static int begin(void **state)
{
	(void)state;
	memset(process, 0, sizeof(process));
	memset(events, 0, sizeof(events));
	for (uint32_t i = 0; i < SLOTS; i++) {
		slot[i] = (struct mpsan_process){.pid = 100 * (i + 1),
						 .parent = i ? PARENT + 1 : 0,
						 .how = i ? MPSAN_HOW_FORK : MPSAN_HOW_ROOT,
						 .birth_ns = 10 * SECOND,
						 .end = MPSAN_END_EXIT};
		process[i] = (struct fact_process){
			.slot = &slot[i], .gone = true, .gone_ns = 15 * SECOND};
	}
	for (uint32_t i = 0; i < 2; i++)
		forks[i] =
			(struct fact_fork){.at = {PARENT, PARENT, MAIN_THREAD, 8192, 10 * SECOND},
					   .ev = {.how = MPSAN_HOW_FORK, .threads = 1},
					   .child = CHILD + i,
					   .late = FACT_NONE};
	facts = (struct facts){.now_ns = 30 * SECOND,
			       .processes = process,
			       .process_count = SLOTS,
			       .forks = forks,
			       .fork_count = 2,
			       .events = events};
	return 0;
}

static void *act(uint32_t by, uint32_t type)
{
	uint32_t index = facts.event_count++;

	assert_true(index < ACTS);
	events[index] = story_event(&records[index], by, type, &process[by], index, 14 * SECOND);
	return records[index].fields;
}

static void grows(uint32_t by, uint64_t mib)
{
	struct ev_growth *event = act(by, EV_growth);

	event->copied = mib << 20;
}

static void ends_with(uint32_t by, uint64_t mib)
{
	struct ev_growth_end *event = act(by, EV_growth_end);

	event->copied = mib << 20;
}

static struct verdict tell(void)
{
	struct trigger trigger = {TRIGGER_CLOSE, 0};
	struct verdict verdict = {.sink = {verdict_add}};

	story_run(&facts, &trigger, &verdict.sink);
	return verdict;
}

#define assert_told(grade)                                                     \
	do {                                                                   \
		struct verdict verdict_ = tell();                              \
		assert_int_equal(grade_of(&verdict_, RULE_cow_growth), grade); \
	} while (0)

static void growth_warns_of_much_in_one_and_tells_the_sum(void **state)
{
	struct verdict verdict;

	(void)state;
	grows(CHILD, 20);
	grows(CHILD, 40); /* what it said later stands */
	grows(OTHER, 30);
	assert_told(GRADE_NOTE);
	verdict = tell();
	assert_int_equal(verdict.last[0].amount, 70ull << 20);
	assert_int_equal(verdict.last[0].cause, 2);
	assert_null(verdict.last[0].fix);
	grows(OTHER, 64);
	assert_told(GRADE_WARNING);
	forks[1].ev.stack = 4096;
	assert_int_equal(tell().count, 2);
}

static void growth_of_an_end_is_a_note_with_a_cure_of_its_own(void **state)
{
	struct verdict verdict;

	(void)state;
	grows(CHILD, 15);
	ends_with(CHILD, 100);
	ends_with(OTHER, 50);
	assert_told(GRADE_NOTE);
	verdict = tell();
	assert_int_equal(verdict.last[0].amount, 150ull << 20);
	assert_int_equal(verdict.last[0].cause, 2);
	assert_non_null(verdict.last[0].fix);
}

static void growth_warns_of_work_rather_than_of_its_end(void **state)
{
	struct verdict verdict;

	(void)state;
	ends_with(CHILD, 100);
	grows(OTHER, 64);
	assert_told(GRADE_WARNING);
	verdict = tell();
	assert_int_equal(verdict.count, 1);
	assert_int_equal(verdict.last[0].amount, 64ull << 20);
	assert_null(verdict.last[0].fix);
}

static void growth_is_silent_about_little(void **state)
{
	(void)state;
	grows(CHILD, 15);
	ends_with(CHILD, 15);
	assert_told(GRADE_OFF);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(growth_warns_of_much_in_one_and_tells_the_sum),
		STORY(growth_of_an_end_is_a_note_with_a_cure_of_its_own),
		STORY(growth_warns_of_work_rather_than_of_its_end),
		STORY(growth_is_silent_about_little),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
