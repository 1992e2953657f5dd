/* Stories of shm-sender-exited. Neighbours: story_shm.h, tools/rules/shm/shm_sender_exited.c. */
#include "story_shm.h"

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
	assert_heard(TRIGGER_CLOSE, 0, shm_sender_exited, GRADE_WARNING);
	leave(USER);
	assert_heard(TRIGGER_CLOSE, 0, shm_sender_exited, GRADE_NOTE);
}

static void sender_exited_is_silent_about_a_loader_that_is_left_early(void **state)
{
	(void)state;
	loads_data(MAKER);
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	keep(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_CLOSE, 0, shm_sender_exited, GRADE_OFF);
}

/* The supervisor saw that the queue's pipe has no reader. */
static void sender_exited_is_silent_about_a_queue_that_nobody_can_read(void **state)
{
	(void)state;
	stem(MAKER, USER);
	make_tensor(MAKER, A);
	keep(MAKER, A);
	leave(MAKER);
	assert_heard(TRIGGER_CLOSE, 0, shm_sender_exited, GRADE_WARNING);
	ACT(MAKER, unread, 0, 0, .pipe = 7);
	assert_heard(TRIGGER_CLOSE, 0, shm_sender_exited, GRADE_OFF);
}

/* It had called cancel_join_thread; who asks nevertheless is told. */
static void sender_exited_is_silent_about_one_that_let_go(void **state)
{
	(void)state;
	stem(MAKER, USER);
	bind_listener(MAKER);
	make_tensor(MAKER, A);
	ACT(MAKER, shm_kept, LISTENER, 0, .count = 1, .device = DEVICE, .inode = A, .let_go = 1);
	leave(MAKER);
	assert_heard(TRIGGER_CLOSE, 0, shm_sender_exited, GRADE_OFF);
	assert_heard(TRIGGER_EVENT, ask(USER, SHM_LINK_REBUILDS), shm_sender_exited, GRADE_ERROR);
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
	leave(MAKER);
	assert_heard(TRIGGER_CLOSE, 0, shm_sender_exited, GRADE_OFF);
	keep(OTHER, A);
	leave(OTHER);
	assert_heard(TRIGGER_CLOSE, 0, shm_sender_exited, GRADE_NOTE);
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
	records[asked].fields[5] = 4096; /* there are Python frames */
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
		STORY(sender_exited_is_silent_about_a_queue_that_nobody_can_read),
		STORY(sender_exited_is_silent_about_one_that_let_go),
		STORY(sender_exited_knows_a_loader_by_who_made_it),
		STORY(sender_exited_is_silent_about_a_manager),
		STORY(sender_exited_is_silent_about_other_errands),
		STORY(sender_exited_is_silent_about_one_that_is_there),
		STORY(sender_exited_is_silent_about_an_unknown_address),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
