/* Stories about what makes a job of many processes slow, or large. Neighbour: story_people.h. */
#include "story_people.h"

/* ---- what makes a job slow ---- */

static struct ev_load *load(uint64_t running, uint64_t processors, uint64_t processes)
{
	struct ev_load *event = act(PARENT, EV_load, 14 * SECOND);

	*event = (struct ev_load){.running = running,
				  .processors = processors,
				  .lasted = 3 * SECOND,
				  .processes = processes};
	return event;
}

static void oversubscribed_warns_above_twice_the_room(void **state)
{
	struct ev_load *event = load(5, 2, 3);

	(void)state;
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_WARNING);
	event->running = 4;
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
	event->running = 5;
	facts.fork_count = 0;
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
	runs_python();
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_WARNING);
	act(CHILD, EV_bound, 14 * SECOND);
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_NOTE);
}

static void oversubscribed_is_silent_where_there_is_room(void **state)
{
	(void)state;
	load(2, 2, 3);
	assert_told(TRIGGER_EVENT, 0, cpu_oversubscribed, GRADE_OFF);
}

static void workers_fires_when_they_mostly_wait(void **state)
{
	(void)state;
	load(1, 2, 3);
	assert_told(TRIGGER_EVENT, 0, too_many_workers, GRADE_NOTE);
}

static void workers_is_silent_when_they_work(void **state)
{
	(void)state;
	load(3, 2, 3);
	assert_told(TRIGGER_EVENT, 0, too_many_workers, GRADE_OFF);
	load(1, 2, 2);
	assert_told(TRIGGER_EVENT, 1, too_many_workers, GRADE_OFF);
}

static void nested_workers_fires_for_a_worker_of_a_worker(void **state)
{
	(void)state;
	facts.process_count = 3;
	runs_python();
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_NOTE);
	assert_told(TRIGGER_ENDED, CHILD, nested_workers, GRADE_OFF);
}

static void nested_workers_is_silent_otherwise(void **state)
{
	(void)state;
	facts.process_count = 3;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_OFF);
	runs_python();
	process[GRAND].exec_ns = 13 * SECOND;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_OFF);
	process[GRAND].exec_ns = 0;
	set_argv(CHILD, "python3 -c from multiprocessing.forkserver import main");
	slot[CHILD].how = MPSAN_HOW_VFORK;
	assert_told(TRIGGER_ENDED, GRAND, nested_workers, GRADE_OFF);
}

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

static void churn_is_silent_for_workers_that_stay(void **state)
{
	(void)state;
	rounds(4, true);
	assert_told(TRIGGER_CLOSE, 0, worker_churn, GRADE_OFF);
	rounds(2, false);
	assert_told(TRIGGER_CLOSE, 0, worker_churn, GRADE_OFF);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(oversubscribed_warns_above_twice_the_room),
		STORY(oversubscribed_is_silent_where_there_is_room),
		STORY(workers_fires_when_they_mostly_wait),
		STORY(workers_is_silent_when_they_work),
		STORY(nested_workers_fires_for_a_worker_of_a_worker),
		STORY(nested_workers_is_silent_otherwise),
		STORY(churn_fires_for_workers_made_anew),
		STORY(churn_warns_when_threads_grow),
		STORY(churn_is_silent_for_workers_that_stay),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
