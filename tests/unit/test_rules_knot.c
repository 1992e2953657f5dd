/* Stories about deadlock-cycle and hang. Neighbours: story_facts.h, test_rules_cross.c. */
#include "story_facts.h"

static struct world world;
static struct fact_blocked blocked[2];
static struct fact_deadlock deadlock;

/* Two threads of one process, each waiting for a mutex. */
static int begin(void **state)
{
	(void)state;
	world_init(&world);
	for (uint32_t i = 0; i < 2; i++)
		blocked[i] =
			(struct fact_blocked){.at = {2, PARENT, MAIN_THREAD + i, 8192, 12 * SECOND},
					      .ev = {.lock = 0x1000 + i, .kind = MPSAN_LOCK_MUTEX}};
	deadlock =
		(struct fact_deadlock){.at = {2, PARENT, MAIN_THREAD, 8320, 12 * SECOND}, .end = 2};
	world.facts.blockeds = blocked;
	world.facts.blocked_count = 2;
	world.facts.deadlocks = &deadlock;
	world.facts.deadlock_count = 1;
	return 0;
}

static void cycle_fires_on_circles_and_dead_ends(void **state)
{
	(void)state;
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_ERROR);
	deadlock.ev.cause = MPSAN_DEADLOCK_DEAD_END;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_ERROR);
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 1);
}

static void cycle_is_silent_about_deadlocks_of_other_causes(void **state)
{
	(void)state;
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_OWNER_GONE;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	deadlock.end = 0;
	assert_grade(&world, TRIGGER_DEADLOCK, deadlock_cycle, GRADE_OFF);
}

static void hang_warns_of_waits_without_a_proof(void **state)
{
	(void)state;
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_WARNING);
	assert_int_equal(announce(&world, TRIGGER_DEADLOCK).count, 1);
}

static void hang_notes_a_job_that_seems_to_wait_for_a_signal(void **state)
{
	(void)state;
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	blocked[0].ev.flags = MPSAN_LF_PARKED;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_NOTE);
}

static void hang_is_silent_where_there_is_a_proof(void **state)
{
	(void)state;
	deadlock.ev.cause = MPSAN_DEADLOCK_CYCLE;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_OFF);
	deadlock.ev.cause = MPSAN_DEADLOCK_LONG;
	deadlock.end = 0;
	assert_grade(&world, TRIGGER_DEADLOCK, hang, GRADE_OFF);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(cycle_fires_on_circles_and_dead_ends),
		STORY(cycle_is_silent_about_deadlocks_of_other_causes),
		STORY(hang_warns_of_waits_without_a_proof),
		STORY(hang_notes_a_job_that_seems_to_wait_for_a_signal),
		STORY(hang_is_silent_where_there_is_a_proof),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
