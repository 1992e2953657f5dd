/*
 * Stories about workers and their parents: who was left behind, whose failure nobody saw, and what makes a job
 * slow. Neighbours: story_facts.h, ../../shim/core/people.h.
 */
#include "story_facts.h"

#include "../../shim/core/people.h"

#define GRAND 2 /* a process that the child made */
#define SLOTS 3
#define ACTS 8

static struct mpsan_process slot[SLOTS];
static struct fact_process process[SLOTS];
static struct fact_fork forks[12];
static struct fact_act acts[ACTS];
static uint64_t fields[ACTS][ACT_WORDS];
static struct facts facts;

/* A parent that exits in second 15, and its child, which ends with it. */
static int begin(void **state)
{
	(void)state;
	memset(slot, 0, sizeof(slot));
	memset(process, 0, sizeof(process));
	memset(acts, 0, sizeof(acts));
	memset(forks, 0, sizeof(forks));
	for (int i = 0; i < SLOTS; i++) {
		slot[i] = (struct mpsan_process){.pid = 100 * (uint32_t)(i + 1),
						 .parent = (uint32_t)i,
						 .how = i ? MPSAN_HOW_FORK : MPSAN_HOW_ROOT,
						 .birth_ns = (uint64_t)(10 + i) * SECOND,
						 .end = MPSAN_END_EXIT};
		process[i] = (struct fact_process){
			.slot = &slot[i], .gone = true, .gone_ns = 15 * SECOND};
	}
	forks[0] = (struct fact_fork){.at = {PARENT, PARENT, MAIN_THREAD, 8192, 11 * SECOND},
				      .ev = {.how = MPSAN_HOW_FORK, .threads = 1},
				      .child = CHILD,
				      .late = FACT_NONE};
	facts = (struct facts){.now_ns = 30 * SECOND,
			       .processes = process,
			       .process_count = 2,
			       .forks = forks,
			       .fork_count = 1,
			       .acts = acts};
	return 0;
}

static struct verdict tell(enum moment_kind kind, uint32_t index)
{
	struct moment moment = {kind, index};
	struct verdict verdict = {.sink = {verdict_add}};

	rules_run(&facts, &moment, &verdict.sink);
	return verdict;
}

#define assert_told(kind, index, rule, grade)                              \
	do {                                                               \
		struct verdict verdict_ = tell(kind, index);               \
		assert_int_equal(grade_of(&verdict_, RULE_##rule), grade); \
	} while (0)

static void child_lives_until(uint64_t time_ns)
{
	process[CHILD].gone_ns = time_ns;
}

static void runs_python(void)
{
	for (int i = 0; i < SLOTS; i++)
		slot[i].python = 0x030b02f0;
}

static void set_argv(uint32_t of, const char *text)
{
	memset(slot[of].argv, 0, sizeof(slot[of].argv));
	strcpy(slot[of].argv, text);
	slot[of].argv_bytes = (uint32_t)strlen(text) + 1;
}

/* An act of a process, with its first fields. */
static void *act(uint32_t by, uint32_t type, uint64_t time_ns)
{
	uint32_t *newest = &process[by].act[act_number(type)], index = facts.act_count++;

	assert_true(index < ACTS);
	acts[index] = (struct fact_act){
		{by, by, slot[by].pid, 8192, time_ns}, type, *newest, fields[index], 0};
	*newest = index + 1;
	return memset(fields[index], 0, sizeof(fields[index]));
}

/* ---- who was left behind ---- */

static void not_joined_warns_of_a_child_that_outlives_its_parent(void **state)
{
	(void)state;
	child_lives_until(16 * SECOND);
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_WARNING);
	process[CHILD].stayed = true;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_WARNING);
	assert_int_equal(tell(MOMENT_ENDED, CHILD).last[0].fork, 0);
}

static void not_joined_fires_when_shared_memory_stays(void **state)
{
	struct ev_shm_map *map;

	(void)state;
	child_lives_until(16 * SECOND);
	process[CHILD].stayed = true;
	slot[CHILD].end = MPSAN_END_NONE;
	map = act(CHILD, EV_shm_map, 12 * SECOND);
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_ERROR);
	map->device = MPSAN_SHM_MAP_INHERITED;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_WARNING);
	map->device = 0;
	acts[0].later = 13 * SECOND;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_WARNING);
}

static void not_joined_warns_of_a_spawned_child(void **state)
{
	(void)state;
	child_lives_until(16 * SECOND);
	slot[CHILD].how = MPSAN_HOW_VFORK;
	process[CHILD].exec_ns = slot[CHILD].birth_ns;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
	set_argv(CHILD, "python3 -c from multiprocessing.spawn import spawn_main");
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_WARNING);
}

/* Another program took the place of the parent, and it is that one that ended. */
static void not_joined_follows_the_images_of_a_parent(void **state)
{
	(void)state;
	facts.process_count = 3;
	slot[GRAND] = slot[PARENT];
	slot[GRAND].parent = PARENT + 1;
	slot[GRAND].how = MPSAN_HOW_EXEC;
	slot[PARENT].flags = MPSAN_PROCESS_REPLACED;
	process[PARENT].gone_ns = 12 * SECOND;
	child_lives_until(14 * SECOND);
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
	child_lives_until(16 * SECOND);
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_WARNING);
}

static void not_joined_notes_a_child_that_was_never_asked_for(void **state)
{
	(void)state;
	runs_python();
	child_lives_until(13 * SECOND);
	assert_told(MOMENT_CLOSE, 0, child_not_joined, GRADE_NOTE);
	slot[CHILD].flags = MPSAN_PROCESS_REAPED;
	assert_told(MOMENT_CLOSE, 0, child_not_joined, GRADE_OFF);
}

static void not_joined_is_silent_when_the_child_ends_in_time(void **state)
{
	(void)state;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
	child_lives_until(15 * SECOND + SECOND / 3);
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
	child_lives_until(16 * SECOND);
	process[PARENT].stayed = true;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
}

static void not_joined_is_silent_of_who_means_it(void **state)
{
	static const char *const known[] = {
		"python3 -c from multiprocessing.resource_tracker import main",
		"/usr/bin/torch_shm_manager", "/bin/bash", "-sh"};

	(void)state;
	child_lives_until(16 * SECOND);
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++) {
		set_argv(CHILD, known[i]);
		assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
	}
	set_argv(CHILD, "./program");
	slot[CHILD].flags = MPSAN_PROCESS_SESSION;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
	slot[CHILD].flags = 0;
	slot[CHILD].how = MPSAN_HOW_DAEMON;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
	slot[CHILD].how = MPSAN_HOW_FORK;
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_WARNING);
}

/* fork, fork, and the one between ends at once. */
static void not_joined_is_silent_of_a_double_fork(void **state)
{
	(void)state;
	facts.process_count = 3;
	process[CHILD].gone_ns = slot[CHILD].birth_ns + SECOND / 100;
	slot[GRAND].birth_ns = slot[CHILD].birth_ns + SECOND / 200;
	process[GRAND].gone_ns = 20 * SECOND;
	assert_told(MOMENT_ENDED, GRAND, child_not_joined, GRADE_OFF);
	process[CHILD].gone_ns = 15 * SECOND;
	assert_told(MOMENT_ENDED, GRAND, child_not_joined, GRADE_WARNING);
}

static void parent_killed(void)
{
	slot[PARENT].end = MPSAN_END_SIGNAL;
	slot[PARENT].end_value = 9;
}

static void lost_warns_of_workers_that_live_on(void **state)
{
	struct verdict verdict;

	(void)state;
	parent_killed();
	child_lives_until(16 * SECOND);
	assert_told(MOMENT_ENDED, PARENT, parent_lost, GRADE_WARNING);
	verdict = tell(MOMENT_ENDED, PARENT);
	assert_int_equal(verdict.last[0].amount, 1);
	assert_int_equal(verdict.last[0].process, PARENT + 1);
	assert_told(MOMENT_ENDED, CHILD, child_not_joined, GRADE_OFF);
	process[CHILD].gone = false;
	assert_told(MOMENT_ENDED, PARENT, parent_lost, GRADE_WARNING);
}

static void lost_is_silent_when_they_notice(void **state)
{
	(void)state;
	parent_killed();
	assert_told(MOMENT_ENDED, PARENT, parent_lost, GRADE_OFF);
	child_lives_until(16 * SECOND);
	slot[CHILD].flags = MPSAN_PROCESS_DEATHSIG;
	assert_told(MOMENT_ENDED, PARENT, parent_lost, GRADE_OFF);
	slot[CHILD].flags = MPSAN_PROCESS_SESSION;
	assert_told(MOMENT_ENDED, PARENT, parent_lost, GRADE_OFF);
	slot[CHILD].flags = 0;
	slot[PARENT].end = MPSAN_END_EXIT;
	assert_told(MOMENT_ENDED, PARENT, parent_lost, GRADE_OFF);
}

/* Who uses a fork server is the parent of what that makes. */
static void lost_warns_of_the_children_of_a_fork_server(void **state)
{
	(void)state;
	facts.process_count = 3;
	parent_killed();
	set_argv(CHILD, "python3 -c from multiprocessing.forkserver import main");
	slot[CHILD].how = MPSAN_HOW_VFORK;
	set_argv(GRAND, slot[CHILD].argv);
	process[GRAND].gone_ns = 20 * SECOND;
	assert_told(MOMENT_ENDED, PARENT, parent_lost, GRADE_WARNING);
	assert_told(MOMENT_ENDED, GRAND, child_not_joined, GRADE_OFF);
}

/* ---- whose failure nobody saw ---- */

static void child_fails(void)
{
	struct ev_unnoticed *event = act(PARENT, EV_unnoticed, 14 * SECOND);

	*event = (struct ev_unnoticed){
		.worker_slot = CHILD + 1, .waits_for = 300, .lasted = 2 * SECOND};
	slot[CHILD].end_value = 1;
	child_lives_until(12 * SECOND);
}

static void failed_warns_of_an_end_that_nobody_saw(void **state)
{
	struct verdict verdict;

	(void)state;
	child_fails();
	assert_told(MOMENT_ACT, 0, worker_failed, GRADE_WARNING);
	act(CHILD, EV_left, 12 * SECOND);
	verdict = tell(MOMENT_ACT, 0);
	assert_int_equal(verdict.last[0].cause, 2);
	assert_int_equal(verdict.last[0].process, CHILD + 1);
}

static void failed_is_silent_when_somebody_ended_it(void **state)
{
	struct ev_killed *event;

	(void)state;
	child_fails();
	event = act(PARENT, EV_killed, 11 * SECOND + SECOND / 2);
	event->pid = slot[CHILD].pid;
	runs_python();
	assert_told(MOMENT_ACT, 0, worker_failed, GRADE_OFF);
	assert_told(MOMENT_CLOSE, 0, worker_failed, GRADE_OFF);
	event->pid = 77;
	assert_told(MOMENT_ACT, 0, worker_failed, GRADE_WARNING);
	assert_told(MOMENT_CLOSE, 0, worker_failed, GRADE_NOTE);
}

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
	assert_told(MOMENT_ACT, 0, cpu_oversubscribed, GRADE_WARNING);
	event->running = 4;
	assert_told(MOMENT_ACT, 0, cpu_oversubscribed, GRADE_NOTE);
	event->running = 5;
	facts.fork_count = 0;
	assert_told(MOMENT_ACT, 0, cpu_oversubscribed, GRADE_NOTE);
	runs_python();
	assert_told(MOMENT_ACT, 0, cpu_oversubscribed, GRADE_WARNING);
	act(CHILD, EV_bound, 14 * SECOND);
	assert_told(MOMENT_ACT, 0, cpu_oversubscribed, GRADE_NOTE);
}

static void oversubscribed_is_silent_where_there_is_room(void **state)
{
	(void)state;
	load(2, 2, 3);
	assert_told(MOMENT_ACT, 0, cpu_oversubscribed, GRADE_OFF);
}

static void workers_fires_when_they_mostly_wait(void **state)
{
	(void)state;
	load(1, 2, 3);
	assert_told(MOMENT_ACT, 0, too_many_workers, GRADE_NOTE);
}

static void workers_is_silent_when_they_work(void **state)
{
	(void)state;
	load(3, 2, 3);
	assert_told(MOMENT_ACT, 0, too_many_workers, GRADE_OFF);
	load(1, 2, 2);
	assert_told(MOMENT_ACT, 1, too_many_workers, GRADE_OFF);
}

static void nested_workers_fires_for_a_worker_of_a_worker(void **state)
{
	(void)state;
	facts.process_count = 3;
	runs_python();
	assert_told(MOMENT_ENDED, GRAND, nested_workers, GRADE_NOTE);
	assert_told(MOMENT_ENDED, CHILD, nested_workers, GRADE_OFF);
}

static void nested_workers_is_silent_otherwise(void **state)
{
	(void)state;
	facts.process_count = 3;
	assert_told(MOMENT_ENDED, GRAND, nested_workers, GRADE_OFF);
	runs_python();
	process[GRAND].exec_ns = 13 * SECOND;
	assert_told(MOMENT_ENDED, GRAND, nested_workers, GRADE_OFF);
	process[GRAND].exec_ns = 0;
	set_argv(CHILD, "python3 -c from multiprocessing.forkserver import main");
	slot[CHILD].how = MPSAN_HOW_VFORK;
	assert_told(MOMENT_ENDED, GRAND, nested_workers, GRADE_OFF);
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
	struct verdict verdict = tell(MOMENT_CLOSE, 0);

	for (unsigned i = 0; i < verdict.count; i++)
		if (verdict.last[i].rule == RULE_worker_churn)
			return verdict.last[i];
	return (struct finding){0};
}

static void churn_fires_for_workers_made_anew(void **state)
{
	(void)state;
	rounds(4, false);
	assert_told(MOMENT_CLOSE, 0, worker_churn, GRADE_NOTE);
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
	assert_told(MOMENT_CLOSE, 0, worker_churn, GRADE_NOTE);
	for (uint32_t i = 1; i < 5; i++)
		forks[i].ev.feeder = 0;
	assert_told(MOMENT_CLOSE, 0, worker_churn, GRADE_WARNING);
}

static void churn_is_silent_for_workers_that_stay(void **state)
{
	(void)state;
	rounds(4, true);
	assert_told(MOMENT_CLOSE, 0, worker_churn, GRADE_OFF);
	rounds(2, false);
	assert_told(MOMENT_CLOSE, 0, worker_churn, GRADE_OFF);
}

static void grows(uint32_t by, uint64_t mib)
{
	struct ev_growth *event = act(by, EV_growth, 14 * SECOND);

	event->copied = mib << 20;
}

static void growth_warns_of_much_in_one_and_tells_the_sum(void **state)
{
	struct verdict verdict;

	(void)state;
	facts.process_count = 3;
	slot[GRAND].parent = PARENT + 1;
	forks[1] = forks[0];
	forks[1].child = GRAND;
	facts.fork_count = 2;
	grows(CHILD, 20);
	grows(CHILD, 40); /* what it said later stands */
	grows(GRAND, 30);
	assert_told(MOMENT_CLOSE, 0, cow_growth, GRADE_NOTE);
	verdict = tell(MOMENT_CLOSE, 0);
	assert_int_equal(verdict.last[0].amount, 70ull << 20);
	assert_int_equal(verdict.last[0].cause, 2);
	grows(GRAND, 64);
	assert_told(MOMENT_CLOSE, 0, cow_growth, GRADE_WARNING);
	forks[1].ev.stack = 4096;
	assert_int_equal(tell(MOMENT_CLOSE, 0).count, 2);
}

static void growth_is_silent_about_little(void **state)
{
	(void)state;
	grows(CHILD, 15);
	assert_told(MOMENT_CLOSE, 0, cow_growth, GRADE_OFF);
}

#define STORY(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(not_joined_warns_of_a_child_that_outlives_its_parent),
		STORY(not_joined_fires_when_shared_memory_stays),
		STORY(not_joined_warns_of_a_spawned_child),
		STORY(not_joined_follows_the_images_of_a_parent),
		STORY(not_joined_notes_a_child_that_was_never_asked_for),
		STORY(not_joined_is_silent_when_the_child_ends_in_time),
		STORY(not_joined_is_silent_of_who_means_it),
		STORY(not_joined_is_silent_of_a_double_fork),
		STORY(lost_warns_of_workers_that_live_on),
		STORY(lost_is_silent_when_they_notice),
		STORY(lost_warns_of_the_children_of_a_fork_server),
		STORY(failed_warns_of_an_end_that_nobody_saw),
		STORY(failed_is_silent_when_somebody_ended_it),
		STORY(oversubscribed_warns_above_twice_the_room),
		STORY(oversubscribed_is_silent_where_there_is_room),
		STORY(workers_fires_when_they_mostly_wait),
		STORY(workers_is_silent_when_they_work),
		STORY(nested_workers_fires_for_a_worker_of_a_worker),
		STORY(nested_workers_is_silent_otherwise),
		STORY(churn_fires_for_workers_made_anew),
		STORY(churn_warns_when_threads_grow),
		STORY(churn_is_silent_for_workers_that_stay),
		STORY(growth_warns_of_much_in_one_and_tells_the_sum),
		STORY(growth_is_silent_about_little),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
