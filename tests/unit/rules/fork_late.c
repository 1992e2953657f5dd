/* Stories of fork-late. Neighbours: story_fork.h, tools/rules/fork/fork_late.c. */
#include "story_fork.h"

/* Forks of one process, each by a thread that is not its first one, each with a child that lives. */
#define LATE 4
static struct fact_fork late[LATE];

static void fork_late_times(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		late[i] = world.fork;
		late[i].at.tid = WORKER;
		late[i].ev.threads = 3;
		late[i].child = FACT_NONE;
		late[i].late = i ? i - 1 : FACT_NONE;
	}
	world.facts.forks = late;
	world.facts.fork_count = count;
}

static enum grade late_grade(uint32_t fork)
{
	struct trigger trigger = {TRIGGER_FORK, fork};
	struct verdict verdict = {.sink = {verdict_add}};

	story_run(&world.facts, &trigger, &verdict.sink);
	return grade_of(&verdict, RULE_fork_late);
}

static void late_fires_once_as_a_note(void **state)
{
	(void)state;
	fork_late_times(2);
	assert_int_equal(late_grade(0), GRADE_NOTE);
	assert_int_equal(late_grade(1), GRADE_NOTE);
}

static void late_by_a_pool_is_told_if_it_goes_on(void **state)
{
	(void)state;
	fork_late_times(LATE);
	for (unsigned i = 0; i < LATE; i++)
		late[i].by_pool = true;
	assert_int_equal(late_grade(0), GRADE_OFF);
	assert_int_equal(late_grade(1), GRADE_OFF);
	assert_int_equal(late_grade(2), GRADE_WARNING);
}

static void late_warns_from_the_third_on(void **state)
{
	(void)state;
	fork_late_times(LATE);
	assert_int_equal(late_grade(2), GRADE_WARNING);
	assert_int_equal(late_grade(3), GRADE_WARNING);
	late[2].ev.threads = 2; /* the main thread and the one that forks */
	assert_int_equal(late_grade(2), GRADE_NOTE);
}

static void late_warns_not_of_forks_before_exec(void **state)
{
	(void)state;
	fork_late_times(LATE);
	late[0].child = late[1].child = CHILD;
	child_execs();
	assert_int_equal(late_grade(0), GRADE_OFF);
	assert_int_equal(late_grade(2), GRADE_NOTE);
	assert_int_equal(late_grade(3), GRADE_NOTE);
}

static void late_is_silent_about_the_main_thread(void **state)
{
	(void)state;
	fork_late_times(LATE);
	late[3].at.tid = MAIN_THREAD;
	assert_int_equal(late_grade(3), GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(late_fires_once_as_a_note),
		STORY(late_warns_from_the_third_on),
		STORY(late_by_a_pool_is_told_if_it_goes_on),
		STORY(late_warns_not_of_forks_before_exec),
		STORY(late_is_silent_about_the_main_thread),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
