/* Stories about the ledger of shared memory. Neighbours: rules/story_shm.h, tools/facts/shm.c. */
#include "rules/story_shm.h"

static void ledger_knows_who_made_what(void **state)
{
	uint32_t segment;

	(void)state;
	make(MAKER, A);
	make_as(USER, B, MPSAN_SHM_MEMFD, 0);
	segment = shm_find(&facts.shm, DEVICE, A);
	assert_int_equal(shm_maker(&facts, segment), MAKER);
	assert_int_equal(shm_bytes(&facts, segment), MIB);
	assert_int_equal(shm_find_name(&facts.shm, A), segment);
	assert_int_equal(shm_maker(&facts, shm_find(&facts.shm, DEVICE, B)), USER);
	assert_int_equal(shm_find(&facts.shm, DEVICE + 1, A), 0);
	assert_int_equal(shm_find_name(&facts.shm, B), 0);
}

/* Who opened it between the call that made it and the record of that call. */
static void ledger_learns_of_the_maker_late(void **state)
{
	uint32_t segment;

	(void)state;
	ACT(USER, shm, A, 0, .way = MPSAN_SHM_OPEN, .device = DEVICE, .inode = A, .bytes = 5);
	segment = shm_find(&facts.shm, DEVICE, A);
	assert_int_equal(shm_maker(&facts, segment), FACT_NONE);
	assert_int_equal(shm_bytes(&facts, segment), 5);
	make(MAKER, A);
	assert_int_equal(shm_find(&facts.shm, DEVICE, A), segment);
	assert_int_equal(shm_maker(&facts, segment), MAKER);
}

static void ledger_begins_a_new_life_with_a_new_maker(void **state)
{
	uint32_t first;

	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	first = shm_find(&facts.shm, DEVICE, A);
	make(USER, A);
	assert_int_not_equal(shm_find(&facts.shm, DEVICE, A), first);
	assert_int_equal(shm_maker(&facts, shm_find_name(&facts.shm, A)), USER);
	assert_int_equal(shm_mapped(&facts, shm_find(&facts.shm, DEVICE, A), clock_now, FACT_NONE),
			 0);
	assert_int_not_equal(shm_mapped(&facts, first, clock_now, FACT_NONE), 0);
	assert_int_equal(shm_mapped(&facts, first, clock_now, MAKER), 0);
	leave(MAKER);
	assert_int_equal(shm_mapped(&facts, first, clock_now, FACT_NONE), 0);
}

static void ledger_reads_names(void **state)
{
	(void)state;
	assert_int_equal(shm_name_hash("/dev/shm/torch_1"), shm_name_hash("torch_1"));
	assert_int_equal(shm_name_hash("/torch_1"), shm_name_hash("torch_1"));
	assert_int_not_equal(shm_name_hash("torch_1"), shm_name_hash("torch_2"));
	assert_true(shm_name_is_torch("/torch_12_3_0") && shm_name_is_torch("/dev/shm/torch_1"));
	assert_false(shm_name_is_torch("/psm_torch_1"));
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(ledger_knows_who_made_what),
		STORY(ledger_learns_of_the_maker_late),
		STORY(ledger_begins_a_new_life_with_a_new_maker),
		STORY(ledger_reads_names),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
