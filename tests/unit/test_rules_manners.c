/*
 * Stories about how processes behave among others: acts, and the ends of processes. Neighbours: story_facts.h,
 * ../../shim/rules/{hogwild_not_shared,main_not_guarded,process_group_not_destroyed,affinity_inherited}.c.
 */
#include "story_facts.h"

#define ACTS 8u

static struct world world;
static struct fact_event events[ACTS];
static uint64_t fields[ACTS][EVENT_FACT_WORDS];

static int begin(void **state)
{
	(void)state;
	world_init(&world);
	memset(events, 0, sizeof(events));
	world.facts.events = events;
	return 0;
}

static struct fact_event *add(uint32_t slot, uint32_t type, const void *event, size_t bytes)
{
	uint32_t i = world.facts.event_count++;

	assert_true(i < ACTS && bytes <= sizeof(fields[i]));
	events[i] = (struct fact_event){
		.at = {slot, slot, world.slot[slot].pid, 8192 + 64 * i, (11 + i) * SECOND},
		.type = type,
		.before = world.process[slot].event[event_fact_number(type)],
		.field = fields[i]};
	memset(fields[i], 0, sizeof(fields[i]));
	memcpy(fields[i], event, bytes);
	world.process[slot].event[event_fact_number(type)] = i + 1;
	return &events[i];
}

#define ACT(slot, name, ...) \
	add(slot, EV_##name, &(struct ev_##name){__VA_ARGS__}, sizeof(struct ev_##name))

/* The newest act's moment, or that of a slot's end. */
static struct verdict announce_at(enum trigger_kind kind, uint32_t index)
{
	struct trigger trigger = {kind, index};
	struct verdict verdict = {.sink = {verdict_add}};

	rules_run(&world.facts, &trigger, &verdict.sink);
	return verdict;
}

#define assert_act(rule, wanted)                                                                   \
	do {                                                                                       \
		struct verdict verdict_ = announce_at(TRIGGER_EVENT, world.facts.event_count - 1); \
		assert_int_equal(grade_of(&verdict_, RULE_##rule), wanted);                        \
	} while (0)

#define assert_end(rule, wanted)                                             \
	do {                                                                 \
		struct verdict verdict_ = announce_at(TRIGGER_ENDED, CHILD); \
		assert_int_equal(grade_of(&verdict_, RULE_##rule), wanted);  \
	} while (0)

static void not_shared_fires_for_a_model(void **state)
{
	(void)state;
	ACT(PARENT, plain_arguments, .fork = 8192, .object = 0x1000);
	assert_act(hogwild_not_shared, GRADE_NOTE);
}

static void not_shared_is_silent_with_shared_memory_and_about_other_acts(void **state)
{
	(void)state;
	ACT(PARENT, plain_arguments, .fork = 8192, .object = 0x1000, .shared = 1);
	assert_act(hogwild_not_shared, GRADE_OFF);
	ACT(PARENT, main_again, .how = MPSAN_MAIN_FORKED);
	assert_act(hogwild_not_shared, GRADE_OFF);
}

static void guarded_fires_when_python_refuses(void **state)
{
	(void)state;
	ACT(CHILD, main_again, .how = MPSAN_MAIN_REFUSED);
	assert_act(main_not_guarded, GRADE_ERROR);
}

static void guarded_fires_for_copies_and_notes_programs(void **state)
{
	(void)state;
	ACT(PARENT, main_again, .how = MPSAN_MAIN_FORKED);
	assert_act(main_not_guarded, GRADE_WARNING);
	world.process[CHILD].exec_ns = 10 * SECOND + 1;
	assert_act(main_not_guarded, GRADE_NOTE);
	world.process[CHILD].exec_ns = 0;
	world.fork.ev.how = MPSAN_HOW_VFORK;
	assert_act(main_not_guarded, GRADE_NOTE);
}

static void guarded_fires_for_memory_and_notes_cuda(void **state)
{
	(void)state;
	ACT(CHILD, main_again, .how = MPSAN_MAIN_SHARED);
	assert_act(main_not_guarded, GRADE_WARNING);
	ACT(CHILD, main_again, .how = MPSAN_MAIN_CUDA);
	assert_act(main_not_guarded, GRADE_NOTE);
}

static void guarded_is_silent_about_other_acts(void **state)
{
	(void)state;
	ACT(CHILD, plain_arguments, .shared = 1);
	assert_act(main_not_guarded, GRADE_OFF);
	ACT(CHILD, main_again, .how = 99);
	assert_act(main_not_guarded, GRADE_OFF);
}

static void end_child(uint16_t end, int value)
{
	world.slot[CHILD].end = end;
	world.slot[CHILD].end_value = value;
	world.process[CHILD].gone = true;
	world.process[CHILD].gone_ns = 15 * SECOND;
}

static void destroyed_fires_when_a_group_is_left(void **state)
{
	struct verdict verdict;

	(void)state;
	ACT(CHILD, group, .made = 1);
	end_child(MPSAN_END_EXIT, 0);
	assert_end(process_group_not_destroyed, GRADE_NOTE);
	verdict = announce_at(TRIGGER_ENDED, CHILD);
	assert_int_equal(verdict.last[0].cause, 1);
	assert_int_equal(verdict.last[0].process, CHILD + 1);
}

static void destroyed_fires_when_a_second_group_is_left(void **state)
{
	(void)state;
	ACT(CHILD, group, .made = 1);
	ACT(CHILD, group, .made = 0);
	ACT(CHILD, group, .made = 1);
	end_child(MPSAN_END_EXIT, 0);
	assert_end(process_group_not_destroyed, GRADE_NOTE);
}

static void destroyed_is_silent_when_it_was(void **state)
{
	(void)state;
	ACT(CHILD, group, .made = 1);
	ACT(CHILD, group, .made = 0);
	end_child(MPSAN_END_EXIT, 0);
	assert_end(process_group_not_destroyed, GRADE_OFF);
}

static void destroyed_is_silent_about_failures(void **state)
{
	(void)state;
	ACT(CHILD, group, .made = 1);
	end_child(MPSAN_END_EXIT, 1);
	assert_end(process_group_not_destroyed, GRADE_OFF);
	end_child(MPSAN_END_SIGNAL, 9);
	assert_end(process_group_not_destroyed, GRADE_OFF);
	end_child(MPSAN_END_EXIT, 0);
	world.process[CHILD].lossy = true;
	assert_end(process_group_not_destroyed, GRADE_OFF);
	world.process[CHILD].lossy = false;
	world.process[CHILD].stayed = true;
	assert_end(process_group_not_destroyed, GRADE_OFF);
}

static void affinity_inherited_fires_with_the_choice(void **state)
{
	struct verdict verdict;

	(void)state;
	ACT(PARENT, affinity, .pid = 100, .before = 8, .processors = 1);
	ACT(CHILD, bound, .processors = 1, .parent_slot = PARENT + 1, .siblings = 3);
	assert_act(affinity_inherited, GRADE_WARNING);
	verdict = announce_at(TRIGGER_EVENT, 1);
	assert_int_equal(verdict.last[0].cause, 1);
}

static void affinity_inherited_notes_an_unseen_choice(void **state)
{
	(void)state;
	ACT(CHILD, bound, .processors = 1, .parent_slot = PARENT + 1, .siblings = 3);
	assert_act(affinity_inherited, GRADE_NOTE);
	ACT(PARENT, affinity, .pid = 100, .before = 1, .processors = 8);
	ACT(CHILD, bound, .processors = 1, .parent_slot = PARENT + 1, .siblings = 3);
	assert_act(affinity_inherited, GRADE_NOTE);
}

static void affinity_inherited_is_silent_about_two_processors(void **state)
{
	(void)state;
	ACT(PARENT, affinity, .pid = 100, .before = 8, .processors = 2);
	assert_act(affinity_inherited, GRADE_OFF);
	ACT(CHILD, bound, .processors = 2, .parent_slot = PARENT + 1, .siblings = 3);
	assert_act(affinity_inherited, GRADE_OFF);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(not_shared_fires_for_a_model),
		STORY(not_shared_is_silent_with_shared_memory_and_about_other_acts),
		STORY(guarded_fires_when_python_refuses),
		STORY(guarded_fires_for_copies_and_notes_programs),
		STORY(guarded_fires_for_memory_and_notes_cuda),
		STORY(guarded_is_silent_about_other_acts),
		STORY(destroyed_fires_when_a_group_is_left),
		STORY(destroyed_fires_when_a_second_group_is_left),
		STORY(destroyed_is_silent_when_it_was),
		STORY(destroyed_is_silent_about_failures),
		STORY(affinity_inherited_fires_with_the_choice),
		STORY(affinity_inherited_notes_an_unseen_choice),
		STORY(affinity_inherited_is_silent_about_two_processors),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
