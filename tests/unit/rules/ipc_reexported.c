/* Stories of ipc-reexported. Neighbours: story_cuda.h, tools/rules/ipc/ipc_reexported.c. */
#include "story_cuda.h"

static void reexported_is_proved(void **state)
{
	struct trigger trigger = {TRIGGER_EXPORT, 1};
	struct verdict verdict = {.sink = {verdict_add}};

	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	export_as(CONSUMER, B, MPSAN_MEMORY_DEVICE, MPSAN_IPC_IMPORTED);
	exports[1].ev.base = (A << 24) + MIB; /* somewhere in it */
	story_run(&facts, &trigger, &verdict.sink);
	assert_int_equal(grade_of(&verdict, RULE_ipc_reexported), GRADE_ERROR);
	assert_int_equal(verdict.last[0].piece, 1);
	assert_int_equal(verdict.last[0].import, 1);
}

static void reexported_is_proved_by_a_refusal(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	OPEN(CONSUMER, A, 0);
	assert_heard(TRIGGER_REFUSED,
		     refuse(CONSUMER, MPSAN_CAUSE_UNKNOWN, MPSAN_MEMORY_IMPORTED, A << 24, 0),
		     ipc_reexported, GRADE_ERROR);
	assert_heard(TRIGGER_REFUSED, 0, ipc_unsupported_memory, GRADE_OFF);
}

static void reexported_is_a_note_where_descriptors_keep_the_memory(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EXPORT, export_as(CONSUMER, A, MPSAN_MEMORY_VMM, MPSAN_IPC_IMPORTED),
		     ipc_reexported, GRADE_NOTE);
}

static void reexported_is_silent_about_own_memory(void **state)
{
	(void)state;
	lend(PRODUCER, A);
	assert_heard(TRIGGER_EXPORT, lend(PRODUCER, A), ipc_reexported, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(reexported_is_proved),
		STORY(reexported_is_proved_by_a_refusal),
		STORY(reexported_is_a_note_where_descriptors_keep_the_memory),
		STORY(reexported_is_silent_about_own_memory),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
