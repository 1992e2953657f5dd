/* Stories about every rule at once. Neighbours: rules/ has those of each, rules/story_fork.h. */
#include "rules/story_fork.h"

/* Every reason, kind and circumstance: never two rules for one wait. */
static void a_wait_is_told_by_one_rule_at_most(void **state)
{
	static const uint64_t flags[] = {0, MPSAN_LF_HANDLER, MPSAN_LF_SIGNALS, MPSAN_LF_SHARED};

	(void)state;
	world.facts.left_count = 1;
	for (unsigned reason = 0; reason <= MPSAN_WAIT_INSIDE; reason++)
		for (unsigned kind = 0; kind < MPSAN_KIND_COUNT; kind++)
			for (unsigned i = 0; i < 2 * sizeof(flags) / sizeof(*flags); i++) {
				world.fork.ev.flags = i % 2 ? MPSAN_FORK_PREEXEC : 0;
				world_wait(&world, reason, kind, flags[i / 2]);
				assert_true(announce(&world, TRIGGER_WAIT).count <= 1);
			}
}

static void nothing_is_said_of_spawns(void **state)
{
	static const uint64_t hows[] = {MPSAN_HOW_VFORK, MPSAN_HOW_POSIX_SPAWN, MPSAN_HOW_SYSTEM,
					MPSAN_HOW_POPEN};

	(void)state;
	world_hold(&world, WORKER, MPSAN_LOCK_MUTEX, MPSAN_LF_VERIFIED);
	for (unsigned i = 0; i < sizeof(hows) / sizeof(*hows); i++) {
		world.fork.ev.how = hows[i];
		assert_int_equal(announce(&world, TRIGGER_FORK).count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(a_wait_is_told_by_one_rule_at_most),
		STORY(nothing_is_said_of_spawns),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
