/* Stories of shm-foreign-unlink. Neighbours: story_shm.h, tools/rules/shm/shm_foreign_unlink.c. */
#include "story_shm.h"

static void serve_tracker(uint32_t parent)
{
	serve(parent, "from multiprocessing.resource_tracker import main;main(5)");
}

static void foreign_unlink_warns_and_is_proved_by_an_open_that_fails(void **state)
{
	uint32_t mapping;

	(void)state;
	serve_tracker(USER);
	make(MAKER, A);
	map(MAKER, A);
	mapping = map(USER, A);
	unmap(mapping);
	leave(USER);
	assert_heard(TRIGGER_EVENT, remove_name(HELPER, A), shm_foreign_unlink, GRADE_WARNING);
	assert_heard(TRIGGER_EVENT, refused(OTHER, A, 0), shm_foreign_unlink, GRADE_ERROR);
}

/* The attaching process was started by the maker, and has a tracker of its own all the same. */
static void foreign_unlink_warns_about_the_tracker_of_a_child(void **state)
{
	(void)state;
	stem(USER, MAKER);
	serve_tracker(USER);
	make(MAKER, A);
	map(MAKER, A);
	assert_heard(TRIGGER_EVENT, remove_name(HELPER, A), shm_foreign_unlink, GRADE_WARNING);
}

static void foreign_unlink_is_silent_about_the_own_tracker(void **state)
{
	(void)state;
	stem(MAKER, OTHER);
	serve_tracker(OTHER); /* of the process from which the maker stems */
	make(MAKER, A);
	map(MAKER, A);
	map(USER, A);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, remove_name(HELPER, A), shm_foreign_unlink, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, refused(STRANGER, A, 0), shm_foreign_unlink, GRADE_NOTE);
}

/* Until 3.9 a tracker is forked, and becomes one by an exec: its parent's slot is that of its first image. */
static void foreign_unlink_is_silent_about_the_own_tracker_that_was_forked(void **state)
{
	uint32_t mapping;

	(void)state;
	copy(MAKER, OTHER);
	serve_tracker(OTHER);
	slots[HELPER].pid = slots[OTHER].pid;
	make(MAKER, 3);
	mapping = map(USER, 3);
	assert_heard(TRIGGER_EVENT, remove_name(HELPER, 3), shm_foreign_unlink, GRADE_OFF);
	unmap(mapping);
	assert_heard(TRIGGER_EVENT, refused(USER, 3, 0), shm_foreign_unlink, GRADE_OFF);
}

static void foreign_unlink_is_silent_when_all_have_attached(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	map(USER, A);
	assert_heard(TRIGGER_EVENT, remove_name(USER, A), shm_foreign_unlink, GRADE_OFF);
}

static void foreign_unlink_is_silent_about_what_nobody_has_any_more(void **state)
{
	(void)state;
	serve_tracker(USER);
	make(MAKER, A);
	unmap(map(MAKER, A));
	assert_heard(TRIGGER_EVENT, remove_name(HELPER, A), shm_foreign_unlink, GRADE_OFF);
}

static void foreign_unlink_is_silent_about_a_name_that_the_maker_removed(void **state)
{
	uint32_t made;

	(void)state;
	made = make(MAKER, A);
	map(MAKER, A);
	records[made].head.later |= MPSAN_LATER_UNLINKED;
	assert_heard(TRIGGER_EVENT, refused(USER, A, 0), shm_foreign_unlink, GRADE_OFF);
}

static void foreign_unlink_is_an_error_when_nobody_of_the_session_removed_it(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	assert_heard(TRIGGER_EVENT, refused(USER, A, 0), shm_foreign_unlink, GRADE_ERROR);
	processes[OTHER].lossy = true; /* it may have been that one */
	assert_heard(TRIGGER_EVENT, refused(USER, A, 0), shm_foreign_unlink, GRADE_WARNING);
}

static void foreign_unlink_is_an_error_if_another_program_removed_it(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	remove_name(STRANGER, A);
	assert_heard(TRIGGER_EVENT, refused(USER, A, 0), shm_foreign_unlink, GRADE_ERROR);
}

/* Who had it as well, or started the maker, may clean up behind it. */
static void foreign_unlink_notes_who_shares_the_work(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	map(OTHER, A);
	remove_name(OTHER, A);
	assert_heard(TRIGGER_EVENT, refused(USER, A, 0), shm_foreign_unlink, GRADE_NOTE);
}

/* Who looks before it makes: the name was not there yet. */
static void foreign_unlink_is_silent_about_a_name_before_its_time(void **state)
{
	uint32_t asked;

	(void)state;
	asked = refused(USER, A, 0);
	make(USER, A);
	map(USER, A);
	assert_heard(TRIGGER_EVENT, asked, shm_foreign_unlink, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(foreign_unlink_warns_and_is_proved_by_an_open_that_fails),
		STORY(foreign_unlink_warns_about_the_tracker_of_a_child),
		STORY(foreign_unlink_is_silent_about_the_own_tracker),
		STORY(foreign_unlink_is_silent_about_the_own_tracker_that_was_forked),
		STORY(foreign_unlink_is_silent_when_all_have_attached),
		STORY(foreign_unlink_is_silent_about_what_nobody_has_any_more),
		STORY(foreign_unlink_is_silent_about_a_name_that_the_maker_removed),
		STORY(foreign_unlink_is_an_error_when_nobody_of_the_session_removed_it),
		STORY(foreign_unlink_is_an_error_if_another_program_removed_it),
		STORY(foreign_unlink_notes_who_shares_the_work),
		STORY(foreign_unlink_is_silent_about_a_name_before_its_time),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
