/* Stories of shm-buffer-churn. Neighbours: story_shm.h, tools/rules/shm/shm_buffer_churn.c. */
#include "story_shm.h"

static void send_many(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		send_off(MAKER, make_tensor(MAKER, 100 + i));
	leave(MAKER);
}

static void buffer_churn_fires_as_a_note(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 20; i++) { /* others between them */
		uint32_t made = make_tensor(MAKER, 2000 + i);

		records[made].head.later = (i + 2) * MIB;
		send_off(MAKER, made);
	}
	send_many(150);
	assert_heard(TRIGGER_ENDED, MAKER, shm_buffer_churn, GRADE_NOTE);
}

static void buffer_churn_is_silent_about_few_and_about_loaders(void **state)
{
	(void)state;
	send_many(60);
	assert_heard(TRIGGER_ENDED, MAKER, shm_buffer_churn, GRADE_OFF);
	begin(NULL);
	loads_data(MAKER);
	send_many(150);
	assert_heard(TRIGGER_ENDED, MAKER, shm_buffer_churn, GRADE_OFF);
}

static void buffer_churn_is_silent_about_tensors_that_stay(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 150; i++)
		make_tensor(MAKER, 100 + i);
	leave(MAKER);
	assert_heard(TRIGGER_ENDED, MAKER, shm_buffer_churn, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(buffer_churn_fires_as_a_note),
		STORY(buffer_churn_is_silent_about_few_and_about_loaders),
		STORY(buffer_churn_is_silent_about_tensors_that_stay),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
