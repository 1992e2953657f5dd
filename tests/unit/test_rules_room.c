/*
 * Stories about what shared memory costs: descriptors, mappings, room in /dev/shm, copies; and the
 * ledger itself. Neighbours: story_shm.h, tools/facts/shm.c; test_rules_shm.c has the rest.
 */
#include "story_shm.h"

#define A 11u /* segments */
#define B 12u

/* ---- shm-fd-limit ---- */

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

/* ---- shm-map-limit ---- */

static void map_limit_is_proved_at_the_limit(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_MAP, 65530, 65530), shm_map_limit,
		     GRADE_ERROR);
}

static void map_limit_warns_before(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_MANY_MAPS, 52424, 65530), shm_map_limit,
		     GRADE_WARNING);
}

static void map_limit_is_silent_when_memory_is_short(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_MAP, 300, 65530), shm_map_limit,
		     GRADE_OFF);
}

/* ---- shm-no-space ---- */

static uint32_t grow(uint32_t segment, uint64_t bytes, uint64_t available)
{
	return ACT(MAKER, shm_size, 0, 0, .device = DEVICE, .inode = segment, .bytes = bytes,
		   .free = available);
}

static uint32_t hit(uint32_t segment, uint64_t number, uint64_t available)
{
	return ACT(MAKER, fault, 0, 0, .signal = number, .device = DEVICE, .inode = segment,
		   .bytes = MIB, .free = available);
}

static void no_space_warns_and_is_proved_by_the_signal(void **state)
{
	(void)state;
	make(MAKER, A);
	assert_heard(TRIGGER_EVENT, grow(A, 8 * MIB, 2 * MIB), shm_no_space, GRADE_WARNING);
	assert_heard(TRIGGER_EVENT, hit(A, SIGBUS, 0), shm_no_space, GRADE_ERROR);
}

static void no_space_warns_of_a_call_that_failed(void **state)
{
	(void)state;
	assert_heard(TRIGGER_EVENT, at_limit(MPSAN_SHM_NO_SPACE, 0, 0), shm_no_space,
		     GRADE_WARNING);
}

static void no_space_is_silent_when_there_is_room(void **state)
{
	(void)state;
	make(MAKER, A);
	assert_heard(TRIGGER_EVENT, grow(A, MIB, 2 * MIB), shm_no_space, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, hit(A, SIGBUS, 64 * MIB), shm_no_space,
		     GRADE_OFF); /* its end */
	assert_heard(TRIGGER_EVENT, hit(A, SIGSEGV, 0), shm_no_space, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, hit(B, SIGBUS, 0), shm_no_space, GRADE_OFF); /* some file */
}

static void no_space_is_silent_about_memory_without_a_name(void **state)
{
	(void)state;
	make_as(MAKER, A, MPSAN_SHM_MEMFD, 0);
	assert_heard(TRIGGER_EVENT, grow(A, 8 * MIB, 0), shm_no_space, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, hit(A, SIGBUS, 0), shm_no_space, GRADE_OFF);
}

/* ---- shm-buffer-churn ---- */

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

		events[made].later = (i + 2) * MIB;
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

/* ---- shm-unsynchronized ---- */

static void unsynchronized_fires_as_a_note(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	map(USER, A);
	assert_heard(TRIGGER_CLOSE, 0, shm_unsynchronized, GRADE_NOTE);
}

static void unsynchronized_is_silent_with_a_lock_a_reader_or_one_after_the_other(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	map(USER, A);
	locks[MAKER] = true;
	assert_heard(TRIGGER_CLOSE, 0, shm_unsynchronized, GRADE_OFF);
	begin(NULL);
	make(MAKER, A);
	map(MAKER, A);
	map_as(USER, A, 0);
	assert_heard(TRIGGER_CLOSE, 0, shm_unsynchronized, GRADE_OFF);
	begin(NULL);
	make(MAKER, A);
	unmap(map(MAKER, A));
	map(USER, A);
	assert_heard(TRIGGER_CLOSE, 0, shm_unsynchronized, GRADE_OFF);
}

/* ---- the ledger ---- */

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
		STORY(fd_limit_is_proved_when_most_are_segments),
		STORY(fd_limit_warns_when_some_are_or_most_are_taken),
		STORY(fd_limit_is_silent_when_others_took_them),
		STORY(map_limit_is_proved_at_the_limit),
		STORY(map_limit_warns_before),
		STORY(map_limit_is_silent_when_memory_is_short),
		STORY(no_space_warns_and_is_proved_by_the_signal),
		STORY(no_space_warns_of_a_call_that_failed),
		STORY(no_space_is_silent_when_there_is_room),
		STORY(no_space_is_silent_about_memory_without_a_name),
		STORY(buffer_churn_fires_as_a_note),
		STORY(buffer_churn_is_silent_about_few_and_about_loaders),
		STORY(buffer_churn_is_silent_about_tensors_that_stay),
		STORY(unsynchronized_fires_as_a_note),
		STORY(unsynchronized_is_silent_with_a_lock_a_reader_or_one_after_the_other),
		STORY(ledger_knows_who_made_what),
		STORY(ledger_learns_of_the_maker_late),
		STORY(ledger_begins_a_new_life_with_a_new_maker),
		STORY(ledger_reads_names),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
