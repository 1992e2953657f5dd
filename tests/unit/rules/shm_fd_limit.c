/* Stories of shm-fd-limit. Neighbours: story_shm.h, tools/rules/shm/shm_fd_limit.c. */
#include "story_shm.h"

static void fd_limit_is_proved_when_most_are_segments(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_DESCRIPTOR, 50, 64), shm_fd_limit,
		     GRADE_ERROR);
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_TRUNCATED, 50, 64), shm_fd_limit,
		     GRADE_ERROR);
}

static void fd_limit_warns_when_some_are_or_most_are_taken(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_DESCRIPTOR, 20, 64), shm_fd_limit,
		     GRADE_WARNING);
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_MANY_DESCRIPTORS, 52, 64), shm_fd_limit,
		     GRADE_WARNING);
}

/* Sockets took them; or the receiver's buffer was too small. */
static void fd_limit_is_silent_when_others_took_them(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_DESCRIPTOR, 3, 1024), shm_fd_limit,
		     GRADE_OFF);
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_TRUNCATED, 3, 1024), shm_fd_limit,
		     GRADE_OFF);
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_MAP, 900, 1024), shm_fd_limit, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(fd_limit_is_proved_when_most_are_segments),
		STORY(fd_limit_warns_when_some_are_or_most_are_taken),
		STORY(fd_limit_is_silent_when_others_took_them),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
