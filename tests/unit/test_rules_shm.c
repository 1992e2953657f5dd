/*
 * Stories about shared memory that processes hand to each other: senders that end, names that are left
 * or removed. Neighbours: story_shm.h, ../../shim/rules/shm_*.c; test_rules_room.c has what it costs.
 */
#include "story_shm.h"

#define A 11u /* segments */
#define B 12u

/* ---- shm-sender-exited ---- */

static uint32_t bind_listener(uint32_t by)
{
	return ACT(by, sock_bound, LISTENER, 0, .fd = 5);
}

static uint32_t ask(uint32_t by, uint32_t flags)
{
	return ACT(by, sock_refused, LISTENER, flags, .result = 111);
}

static uint32_t keep(uint32_t by, uint32_t segment)
{
	return ACT(by, shm_kept, LISTENER, 0, .count = 3, .bytes = 3 * MIB, .device = DEVICE,
		   .inode = segment);
}

static void sender_exited_is_proved_by_who_asks_for_a_tensor(void **state)
{
	uint32_t asked;

	(void)state;
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	keep(MAKER, A);
	leave(MAKER);
	asked = ask(USER, SHM_LINK_REBUILDS);
	assert_heard(TRIGGER_EVENT, asked, shm_sender_exited, GRADE_ERROR);
}

/* Python cannot be read: that it was a tensor's memory is known from the sender. */
static void sender_exited_is_proved_without_frames(void **state)
{
	(void)state;
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	keep(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, ask(USER, 0), shm_sender_exited, GRADE_ERROR);
}

/* It states nothing at its end, and that is seen a little later. */
static void sender_exited_is_proved_of_one_that_was_killed(void **state)
{
	uint32_t asked;

	(void)state;
	bind_listener(MAKER);
	send_off(MAKER, make_tensor(MAKER, A));
	make_tensor(MAKER, B);
	asked = ask(USER, SHM_LINK_REBUILDS);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, asked, shm_sender_exited, GRADE_ERROR);
	processes[MAKER].gone_ns += SECOND;
	assert_heard(TRIGGER_EVENT, asked, shm_sender_exited, GRADE_OFF);
}

static void sender_exited_is_proved_by_a_name_that_the_manager_removed(void **state)
{
	(void)state;
	serve(MAKER, "/usr/lib/torch/bin/torch_shm_manager");
	make_tensor(MAKER, A);
	leave(MAKER);
	remove_name(HELPER, A);
	assert_heard(TRIGGER_EVENT, refused(USER, A, SHM_LINK_TORCH), shm_sender_exited,
		     GRADE_ERROR);
}

static void sender_exited_fires_as_a_note_about_one_that_the_asker_ended(void **state)
{
	(void)state;
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	ACT(USER, killed, 0, 0, .pid = slots[MAKER].pid, .signal = SIGTERM);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, ask(USER, SHM_LINK_REBUILDS), shm_sender_exited, GRADE_NOTE);
	assert_heard(TRIGGER_EVENT, ask(OTHER, SHM_LINK_REBUILDS), shm_sender_exited, GRADE_ERROR);
}

static void sender_exited_fires_when_nobody_has_asked_yet(void **state)
{
	(void)state;
	stem(MAKER, USER);
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	keep(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_ENDED, MAKER, shm_sender_exited, GRADE_WARNING);
	leave(USER);
	assert_heard(TRIGGER_ENDED, MAKER, shm_sender_exited, GRADE_NOTE);
}

static void sender_exited_is_silent_about_a_loader_that_is_left_early(void **state)
{
	(void)state;
	loads_data(MAKER);
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	keep(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_ENDED, MAKER, shm_sender_exited, GRADE_OFF);
}

/* Whoever made a worker that cannot be asked has said what it is to do; its child is somebody else. */
static void sender_exited_knows_a_loader_by_who_made_it(void **state)
{
	(void)state;
	stem(MAKER, USER);
	stem(OTHER, MAKER);
	slots[MAKER].fork_pos = 4096;
	slots[OTHER].fork_pos = 8192;
	ACT(USER, process_name, 0, 0, .fork = 4096, .name = 64, .work = MPSAN_WORK_LOADER);
	ACT(USER, process_name, 0, 0, .fork = 8192, .name = 128);
	make_tensor(MAKER, A);
	keep(MAKER, A);
	keep(OTHER, A);
	leave(MAKER);
	leave(OTHER);
	assert_heard(TRIGGER_ENDED, MAKER, shm_sender_exited, GRADE_OFF);
	assert_heard(TRIGGER_ENDED, OTHER, shm_sender_exited, GRADE_NOTE);
}

/* A proxy gives its object back to a manager that has been shut down. */
static void sender_exited_is_silent_about_a_manager(void **state)
{
	(void)state;
	bind_listener(MAKER);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, ask(USER, 0), shm_sender_exited, GRADE_OFF);
}

/* The same of a manager that had tensors, as its frames tell. */
static void sender_exited_is_silent_about_other_errands(void **state)
{
	uint32_t asked;

	(void)state;
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	keep(MAKER, A);
	leave(MAKER);
	asked = ask(USER, 0);
	fields[asked][5] = 4096; /* there are Python frames */
	assert_int_equal(EVENT_AS(&events[asked], sock_refused)->python, 4096);
	assert_heard(TRIGGER_EVENT, asked, shm_sender_exited, GRADE_OFF);
}

static void sender_exited_is_silent_about_one_that_is_there(void **state)
{
	(void)state;
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	assert_heard(TRIGGER_EVENT, ask(USER, SHM_LINK_REBUILDS), shm_sender_exited, GRADE_OFF);
}

static void sender_exited_is_silent_about_an_unknown_address(void **state)
{
	(void)state;
	make_tensor(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, ask(USER, SHM_LINK_REBUILDS), shm_sender_exited, GRADE_OFF);
}

/* ---- shm-leaked ---- */

static uint32_t find(uint32_t segment)
{
	return ACT(MAKER, shm_left, segment, 0, .device = DEVICE, .inode = segment, .bytes = MIB);
}

static void leaked_is_proved_of_a_tensor(void **state)
{
	(void)state;
	make_tensor(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_proved_when_its_maker_was_killed(void **state)
{
	(void)state;
	make(MAKER, A);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_proved_of_a_name_that_was_being_made(void **state)
{
	(void)state;
	ACT(MAKER, shm_intent, A, 0, .way = MPSAN_SHM_OPEN);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_proved_of_a_name_that_was_left_in_peace(void **state)
{
	(void)state;
	make(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_a_note_about_a_tensor_whose_thread_was_cut_short(void **state)
{
	(void)state;
	events[make_tensor(MAKER, A)].at.tid++;
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_NOTE);
}

static void leaked_is_proved_of_a_tensor_that_a_thread_left_long_before(void **state)
{
	(void)state;
	events[make_tensor(MAKER, A)].at.tid++;
	clock_now += 2 * SECOND;
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_ERROR);
}

static void leaked_is_silent_about_a_file(void **state)
{
	(void)state;
	make_as(MAKER, A, MPSAN_SHM_FILE, 0);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_OFF);
}

static void leaked_fires_as_a_note_about_a_file_that_was_mapped(void **state)
{
	(void)state;
	make_as(MAKER, A, MPSAN_SHM_FILE, 0);
	map(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_NOTE);
}

static void leaked_warns_of_a_mapped_file_whose_maker_was_killed(void **state)
{
	(void)state;
	make_as(MAKER, A, MPSAN_SHM_FILE, 0);
	map(USER, A);
	kill_it(MAKER);
	assert_heard(TRIGGER_EVENT, find(A), shm_leaked, GRADE_WARNING);
}

/* ---- shm-foreign-unlink ---- */

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
	events[made].later |= MPSAN_LATER_UNLINKED;
	assert_heard(TRIGGER_EVENT, refused(USER, A, 0), shm_foreign_unlink, GRADE_OFF);
}

static void foreign_unlink_warns_when_nobody_of_the_session_removed_it(void **state)
{
	(void)state;
	make(MAKER, A);
	map(MAKER, A);
	assert_heard(TRIGGER_EVENT, refused(USER, A, 0), shm_foreign_unlink, GRADE_WARNING);
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

/* ---- fork-inherited-tensor ---- */

static uint32_t give_up(uint32_t by, enum mpsan_shm_use what)
{
	return ACT(by, shm_inherited, A, 0, .device = DEVICE, .inode = A, .what = what);
}

static void inherited_tensor_warns_of_a_removed_name(void **state)
{
	(void)state;
	copy(MAKER, USER);
	make_tensor(MAKER, A);
	map(MAKER, A);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_UNLINKED), fork_inherited_tensor,
		     GRADE_WARNING);
	assert_heard(TRIGGER_EVENT, remove_name(USER, A), fork_inherited_tensor, GRADE_WARNING);
}

static void inherited_tensor_fires_as_a_note_about_an_unmap(void **state)
{
	(void)state;
	copy(MAKER, USER);
	make_tensor(MAKER, A);
	map(MAKER, A);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_UNMAPPED), fork_inherited_tensor,
		     GRADE_NOTE);
}

static void inherited_tensor_is_silent_about_other_memory_and_descriptors(void **state)
{
	(void)state;
	copy(MAKER, USER);
	make_tensor(MAKER, A);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_CLOSED), fork_inherited_tensor,
		     GRADE_OFF);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_UNLINKED), fork_inherited_tensor,
		     GRADE_OFF); /* nobody has it mapped */
	copy(OTHER, USER);
	make(OTHER, A);
	map(OTHER, A);
	assert_heard(TRIGGER_EVENT, give_up(USER, MPSAN_SHM_UNLINKED), fork_inherited_tensor,
		     GRADE_OFF); /* not PyTorch's */
}

/* It was handed over, or opened by its name. */
static void inherited_tensor_is_silent_about_one_that_came_otherwise(void **state)
{
	(void)state;
	copy(MAKER, USER);
	make_tensor(MAKER, A);
	map(MAKER, A);
	ACT(USER, shm, A, 0, .way = MPSAN_SHM_RECEIVED, .device = DEVICE, .inode = A);
	assert_heard(TRIGGER_EVENT, remove_name(USER, A), fork_inherited_tensor, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, remove_name(OTHER, A), fork_inherited_tensor, GRADE_OFF);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(sender_exited_is_proved_by_who_asks_for_a_tensor),
		STORY(sender_exited_is_proved_without_frames),
		STORY(sender_exited_is_proved_of_one_that_was_killed),
		STORY(sender_exited_is_proved_by_a_name_that_the_manager_removed),
		STORY(sender_exited_fires_as_a_note_about_one_that_the_asker_ended),
		STORY(sender_exited_fires_when_nobody_has_asked_yet),
		STORY(sender_exited_is_silent_about_a_loader_that_is_left_early),
		STORY(sender_exited_knows_a_loader_by_who_made_it),
		STORY(sender_exited_is_silent_about_a_manager),
		STORY(sender_exited_is_silent_about_other_errands),
		STORY(sender_exited_is_silent_about_one_that_is_there),
		STORY(sender_exited_is_silent_about_an_unknown_address),
		STORY(leaked_is_proved_of_a_tensor),
		STORY(leaked_is_proved_when_its_maker_was_killed),
		STORY(leaked_is_proved_of_a_name_that_was_being_made),
		STORY(leaked_is_proved_of_a_name_that_was_left_in_peace),
		STORY(leaked_is_a_note_about_a_tensor_whose_thread_was_cut_short),
		STORY(leaked_is_proved_of_a_tensor_that_a_thread_left_long_before),
		STORY(leaked_is_silent_about_a_file),
		STORY(leaked_fires_as_a_note_about_a_file_that_was_mapped),
		STORY(leaked_warns_of_a_mapped_file_whose_maker_was_killed),
		STORY(foreign_unlink_warns_and_is_proved_by_an_open_that_fails),
		STORY(foreign_unlink_warns_about_the_tracker_of_a_child),
		STORY(foreign_unlink_is_silent_about_the_own_tracker),
		STORY(foreign_unlink_is_silent_about_the_own_tracker_that_was_forked),
		STORY(foreign_unlink_is_silent_when_all_have_attached),
		STORY(foreign_unlink_is_silent_about_what_nobody_has_any_more),
		STORY(foreign_unlink_is_silent_about_a_name_that_the_maker_removed),
		STORY(foreign_unlink_warns_when_nobody_of_the_session_removed_it),
		STORY(foreign_unlink_is_silent_about_a_name_before_its_time),
		STORY(inherited_tensor_warns_of_a_removed_name),
		STORY(inherited_tensor_fires_as_a_note_about_an_unmap),
		STORY(inherited_tensor_is_silent_about_other_memory_and_descriptors),
		STORY(inherited_tensor_is_silent_about_one_that_came_otherwise),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
