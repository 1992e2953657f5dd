/* Stories of fork-lock-held. Neighbours: story_fork.h, tools/rules/fork/fork_lock_held.c. */
#include "story_fork.h"

static void lock_held_fires_for_every_kind_of_lock(void **state)
{
	static const uint64_t kinds[] = {MPSAN_LOCK_MUTEX, MPSAN_LOCK_RWLOCK_READ,
					 MPSAN_LOCK_RWLOCK_WRITE, MPSAN_LOCK_SPIN};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		world_hold(&world, WORKER, kinds[i], MPSAN_LF_VERIFIED);
		assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_WARNING);
	}
	world_hold(&world, WORKER, MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED | MPSAN_LF_MUTUAL);
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_WARNING);
}

static void lock_held_is_a_note_when_the_child_execs_or_ends(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	child_execs();
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_NOTE);
	world.process[CHILD].exec_ns = 0;
	child_exits();
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_NOTE);
}

static void lock_held_takes_a_late_exec_for_a_life_without(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world.process[CHILD].exec_ns = 10 * SECOND + FACT_CHILD_NS + 1;
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_WARNING);
}

static void lock_held_is_silent_about_what_is_no_lock_left_behind(void **state)
{
	static const struct {
		uint64_t kind, flags;
	} harmless[] = {
		{MPSAN_LOCK_MUTEX,
		 MPSAN_LF_VERIFIED | MPSAN_LF_SHARED}, /* the parent can still release it */
		{MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED | MPSAN_LF_WANTED},
		{MPSAN_LOCK_MUTEX, 0}, /* memory did not confirm it */
		{MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED}, /* an idle Python thread's sentinel */
		{MPSAN_LOCK_SEMAPHORE, MPSAN_LF_VERIFIED | MPSAN_LF_HANDOFF | MPSAN_LF_MUTUAL},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		world_hold(&world, WORKER, harmless[i].kind, harmless[i].flags);
		assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_OFF);
	}
}

static void lock_held_is_silent_about_a_repaired_lock(void **state)
{
	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	world.held.repaired = true;
	assert_grade(&world, TRIGGER_FORK, fork_lock_held, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(lock_held_fires_for_every_kind_of_lock),
		STORY(lock_held_is_a_note_when_the_child_execs_or_ends),
		STORY(lock_held_takes_a_late_exec_for_a_life_without),
		STORY(lock_held_is_silent_about_what_is_no_lock_left_behind),
		STORY(lock_held_is_silent_about_a_repaired_lock),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
