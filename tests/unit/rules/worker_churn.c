/* Stories of worker-churn. Neighbours: story_people.h, tools/rules/workers/worker_churn.c. */
#include "story_people.h"

/* One worker in each round, which ended before the next one began, or at second 29. */
static void rounds(uint32_t count, bool overlap)
{
	runs_python();
	facts.fork_count = count;
	for (uint32_t i = 0; i < count; i++)
		forks[i] = (struct fact_fork){
			.at = {PARENT, PARENT, MAIN_THREAD, 8192, (11 + i) * SECOND},
			.ev = {.how = MPSAN_HOW_FORK, .threads = 1, .flags = MPSAN_FORK_PYTHON},
			.child = CHILD,
			.late = FACT_NONE};
	child_lives_until(overlap ? 29 * SECOND : 11 * SECOND + 10);
}

/* Other rules may have a word at the end of a session, too. */
static struct finding churn(void)
{
	struct verdict verdict = tell(TRIGGER_CLOSE, 0);

	for (unsigned i = 0; i < verdict.count; i++)
		if (verdict.last[i].rule == RULE_worker_churn)
			return verdict.last[i];
	return (struct finding){0};
}

static void churn_fires_for_workers_made_anew(void **state)
{
	(void)state;
	rounds(4, false);
	assert_told(TRIGGER_CLOSE, 0, worker_churn, GRADE_NOTE);
	assert_int_equal(churn().amount, 4);
	assert_int_equal(churn().process, PARENT + 1);
}

/* A note when they came once, or are what is left of the last round's queues. */
static void churn_warns_when_threads_grow(void **state)
{
	(void)state;
	rounds(5, false);
	for (uint32_t i = 1; i < 5; i++)
		forks[i].ev.threads = 4 + (forks[i].ev.feeder = i);
	assert_told(TRIGGER_CLOSE, 0, worker_churn, GRADE_NOTE);
	for (uint32_t i = 1; i < 5; i++)
		forks[i].ev.feeder = 0;
	assert_told(TRIGGER_CLOSE, 0, worker_churn, GRADE_WARNING);
}

static void churn_says_that_all_of_them_fail(void **state)
{
	(void)state;
	rounds(4, false);
	slot[CHILD].end = MPSAN_END_EXIT;
	slot[CHILD].end_value = 3;
	assert_non_null(strstr(churn().fix, "find out why the workers fail"));
	slot[CHILD].end_value = 0;
	assert_null(strstr(churn().fix, "find out why the workers fail"));
}

/* What starts the workers of a DataLoader has PyTorch loaded. */
static void churn_speaks_of_loaders_where_torch_is(void **state)
{
	(void)state;
	rounds(4, false);
	assert_non_null(churn().fix);
	assert_null(strstr(churn().fix, "DataLoader"));
	slot[PARENT].flags |= MPSAN_PROCESS_TORCH;
	assert_null(churn().fix); /* that of the rule */
}

static void churn_is_silent_for_workers_that_stay(void **state)
{
	(void)state;
	rounds(4, true);
	assert_told(TRIGGER_CLOSE, 0, worker_churn, GRADE_OFF);
	rounds(2, false);
	assert_told(TRIGGER_CLOSE, 0, worker_churn, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(churn_speaks_of_loaders_where_torch_is),
		STORY(churn_says_that_all_of_them_fail),
		STORY(churn_fires_for_workers_made_anew),
		STORY(churn_warns_when_threads_grow),
		STORY(churn_is_silent_for_workers_that_stay),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
