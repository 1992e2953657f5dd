/*
 * Reads sessions that were written record by record: sound ones live and afterwards, and damaged
 * ones. Neighbours: log_writer.h, tools/reader/reader.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../tools/findings/judge.h"
#include "../../tools/report/report.h"
#include "log_writer.h"

#define SECOND 1000000000ull
#define PARENT 7 /* slots are anywhere in the table */
#define CHILD 3

static struct log_writer writer;
static struct reader reader;
static struct judge judge;
static struct grades grades;

static int begin(void **state)
{
	(void)state;
	writer_create(&writer);
	return 0;
}

static int end(void **state)
{
	(void)state;
	writer_destroy(&writer);
	return 0;
}

static void open_session(void)
{
	char *wrong = reader_open(&reader, writer.dir, true);

	assert_null(wrong);
	grades_init(&grades);
	judge_init(&judge, &reader, &grades, NULL);
}

static void close_session(void)
{
	judge_finish(&judge);
	reader_close(&reader);
}

static void judge_all(uint64_t now)
{
	reader_finish(&reader, now);
	judge_triggers(&judge);
}

static const struct judged *find(enum rule_id rule)
{
	for (uint32_t i = 0; i < judge.found.count; i++)
		if (judge.found.item[i].rule == rule && judge.found.item[i].count)
			return &judge.found.item[i];
	return NULL;
}

/* A worker holds a lock while the parent forks, at second 10; returns the position of the hold. */
static uint64_t write_fork(void)
{
	uint64_t name, fork;

	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	name = writer_text(&writer, PARENT, 2 * SECOND, "the guard");
	WRITE(&writer, PARENT, lock_name, 2 * SECOND, 101, .lock = 0x1000, .name = name);
	fork = WRITE(&writer, PARENT, fork, 10 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 2,
		     .held = 1);
	writer_process(&writer, CHILD, PARENT, 10 * SECOND)->fork_pos = fork;
	return WRITE(&writer, PARENT, held, 10 * SECOND, 100, .fork = fork, .lock = 0x1000,
		     .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED, .holder = 101);
}

static uint64_t write_wait(uint64_t held)
{
	return WRITE(&writer, CHILD, wait, 11 * SECOND, 200, .lock = 0x1000,
		     .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED,
		     .reason = MPSAN_WAIT_ORPHAN, .owner = 101, .held = held, .held_slot = PARENT,
		     .threads = 1);
}

static void an_orphaned_lock_is_told_with_its_names(void **state)
{
	const struct judged *found;
	const char *message;

	(void)state;
	write_wait(write_fork());
	open_session();
	judge_all(20 * SECOND);
	found = find(RULE_fork_orphaned_lock);
	assert_non_null(found);
	assert_int_equal(found->grade, GRADE_ERROR);
	message = json_string_value(json_object_get(found->json, "message"));
	assert_non_null(strstr(message, "mutex \"the guard\""));
	assert_null(strchr(message, '{'));
	assert_int_equal(json_array_size(json_object_get(found->json, "evidence")), 3);
	assert_null(find(RULE_fork_lock_held)); /* the proof replaces the warning */
	close_session();
}

static void a_wait_that_came_back_is_no_finding(void **state)
{
	uint64_t wait;

	(void)state;
	wait = write_wait(write_fork());
	WRITE(&writer, CHILD, wait_end, 11 * SECOND + FACT_WAIT_NS - 1, 200, .wait = wait);
	open_session();
	judge_all(20 * SECOND);
	assert_null(find(RULE_fork_orphaned_lock));
	assert_non_null(find(RULE_fork_lock_held));
	close_session();
}

static void a_wait_that_ended_with_its_process_is_no_finding(void **state)
{
	(void)state;
	write_wait(write_fork());
	writer.table[CHILD].end_ns = 11 * SECOND + FACT_WAIT_NS - 1;
	open_session();
	judge_all(20 * SECOND);
	assert_null(find(RULE_fork_orphaned_lock));
	close_session();
}

static void a_wait_that_outlasts_the_limit_before_death_is_a_finding(void **state)
{
	(void)state;
	write_wait(write_fork());
	writer.table[CHILD].end_ns = 11 * SECOND + FACT_WAIT_NS;
	open_session();
	judge_all(12 * SECOND);
	assert_non_null(find(RULE_fork_orphaned_lock));
	close_session();
}

static void a_repaired_lock_is_no_finding(void **state)
{
	uint64_t held;

	(void)state;
	held = write_fork();
	((struct mpsan_record *)(writer.log[PARENT] + held))->later = MPSAN_LATER_REPAIRED;
	open_session();
	judge_all(20 * SECOND);
	assert_null(find(RULE_fork_lock_held));
	close_session();
}

static void take_back(uint64_t announced)
{
	((struct mpsan_record *)(writer.log[PARENT] + announced))->later = MPSAN_LATER_FAILED;
}

static uint32_t newest_kill(void)
{
	return fact_event_of(&reader.facts, PARENT, EV_killed, FACT_NONE);
}

/* Of three signals that were announced two failed: one before the session is read, one while it is. */
static void what_was_taken_back_is_no_act(void **state)
{
	uint64_t early, late;

	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	WRITE(&writer, PARENT, killed, 2 * SECOND, 100, .pid = 200, .signal = 1);
	early = WRITE(&writer, PARENT, killed, 2 * SECOND, 100, .pid = 200, .signal = 2);
	late = WRITE(&writer, PARENT, killed, 2 * SECOND, 100, .pid = 200, .signal = 3);
	take_back(early);
	open_session();
	reader_poll(&reader, 2 * SECOND);
	assert_int_equal(EVENT_AS(&reader.facts.events[newest_kill()], killed)->signal, 3);
	take_back(late);
	reader_poll(&reader, 3 * SECOND);
	assert_int_equal(EVENT_AS(&reader.facts.events[newest_kill()], killed)->signal, 1);
	assert_int_equal(fact_event_of(&reader.facts, PARENT, EV_killed, newest_kill()), FACT_NONE);
	judge_all(20 * SECOND);
	close_session();
}

/* Processes that are alive now: the test itself stands in for them. */
static void pretend_alive(void)
{
	uint64_t birth = clock_ns(CLOCK_MONOTONIC);

	writer.table[PARENT].pid = getpid();
	writer.table[PARENT].birth_ns = birth;
	writer.table[CHILD].pid = getpid();
	writer.table[CHILD].birth_ns = birth;
}

static void live_and_later_tell_the_same(void **state)
{
	uint64_t birth, held, fork, wait;
	char *live;

	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, 0);
	pretend_alive();
	open_session();
	birth = writer.table[PARENT].birth_ns;
	fork = WRITE(&writer, PARENT, fork, birth, 100, .how = MPSAN_HOW_FORK, .threads = 2,
		     .held = 1);
	writer_process(&writer, CHILD, PARENT, birth)->fork_pos = fork;
	pretend_alive();
	held = WRITE(&writer, PARENT, held, birth, 100, .fork = fork, .lock = 0x1000,
		     .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED, .holder = 101);
	wait = WRITE(&writer, CHILD, wait, birth + 10, 200, .lock = 0x1000,
		     .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED,
		     .reason = MPSAN_WAIT_ORPHAN, .owner = 101, .held = held, .held_slot = PARENT,
		     .threads = 1);
	(void)wait;
	reader_poll(&reader, birth + FACT_WAIT_NS);
	judge_triggers(&judge);
	assert_null(find(RULE_fork_orphaned_lock));
	assert_true(reader_has_open_wait(&reader));
	reader_poll(&reader, birth + FACT_WAIT_NS + 10);
	judge_triggers(&judge);
	assert_non_null(find(RULE_fork_orphaned_lock));
	reader_poll(&reader, birth + FACT_WAIT_NS + 20);
	judge_triggers(&judge);
	assert_int_equal(find(RULE_fork_orphaned_lock)->count, 1); /* announced once */
	judge_all(birth + 3 * SECOND);
	live = json_dumps(find(RULE_fork_orphaned_lock)->json, JSON_SORT_KEYS);
	close_session();

	open_session();
	judge_all(birth + 3 * SECOND);
	{
		char *later = json_dumps(find(RULE_fork_orphaned_lock)->json, JSON_SORT_KEYS);

		assert_string_equal(live, later);
		free(later);
	}
	free(live);
	close_session();
}

static void a_lost_process_gets_its_end_once(void **state)
{
	(void)state;
	write_fork();
	open_session();
	reader_poll(&reader, 30 * SECOND);
	assert_int_equal(writer.table[CHILD].end_ns, 30 * SECOND);
	close_session();
}

static void an_unfinished_record_is_waited_for_and_passed(void **state)
{
	uint64_t pos;

	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	pretend_alive();
	pos = writer_reserve(&writer, PARENT, sizeof(struct ev_fork));
	WRITE(&writer, PARENT, fork, 11 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 3);
	open_session();
	reader_poll(&reader, 12 * SECOND);
	assert_int_equal(reader.forks.count, 0);
	writer_commit(&writer, PARENT, pos, EV_fork, 10 * SECOND, 100,
		      &(struct ev_fork){.how = MPSAN_HOW_FORK, .threads = 2},
		      sizeof(struct ev_fork));
	reader_poll(&reader, 12 * SECOND + 1);
	assert_int_equal(reader.forks.count, 2);
	writer_reserve(&writer, PARENT, 1000);
	WRITE(&writer, PARENT, fork, 13 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 4);
	reader_poll(&reader, 14 * SECOND);
	assert_int_equal(reader.forks.count, 2);
	reader_poll(&reader, 15 * SECOND);
	assert_int_equal(reader.forks.count, 3);
	close_session();
}

/* Whatever the payload looks like. */
static void a_record_whose_writer_was_killed_is_passed_as_one(void **state)
{
	uint64_t pos;

	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	pos = writer_reserve(&writer, PARENT, 4000);
	((struct mpsan_record *)(void *)(writer.log[PARENT] + pos))->units =
		(4000 + sizeof(struct mpsan_record) + MPSAN_UNIT - 1) / MPSAN_UNIT;
	memset(writer.log[PARENT] + pos + sizeof(struct mpsan_record), 'x', 2000);
	WRITE(&writer, PARENT, fork, 13 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 4);
	open_session();
	reader_finish(&reader, 20 * SECOND);
	assert_int_equal(reader.forks.count, 1);
	assert_int_equal(reader.logs[PARENT]->bad, 0);
	assert_int_equal(reader.logs[PARENT]->unfinished, 1);
	close_session();
}

static void the_unused_end_of_a_chunk_is_passed(void **state)
{
	static char big[40000];

	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	for (int i = 0; i < 8; i++)
		writer_put(&writer, PARENT, EV_stack, SECOND, 100, big, sizeof(big));
	WRITE(&writer, PARENT, fork, 13 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 4);
	open_session();
	reader_finish(&reader, 20 * SECOND);
	assert_int_equal(reader.forks.count, 1);
	assert_int_equal(reader.logs[PARENT]->bad, 0);
	close_session();
}

static void a_damaged_record_is_counted_and_the_next_is_read(void **state)
{
	uint64_t pos;

	(void)state;
	writer_process(&writer, PARENT, UINT32_MAX, SECOND);
	pos = WRITE(&writer, PARENT, fork, 10 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 4);
	WRITE(&writer, PARENT, fork, 11 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 5);
	writer.log[PARENT][pos + sizeof(struct mpsan_record)] ^= 1;
	open_session();
	reader_finish(&reader, 20 * SECOND);
	assert_int_equal(reader.forks.count, 1);
	assert_int_equal(reader.forks.item[0].ev.threads, 5);
	assert_true(reader.logs[PARENT]->bad > 0);
	close_session();
}

static void assert_refused(const char *word)
{
	char *wrong = reader_open(&reader, writer.dir, false);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, word));
	assert_non_null(strstr(wrong, writer.dir));
	assert_null(strchr(wrong, '\n'));
	free(wrong);
}

static void sessions_that_cannot_be_read_are_refused_in_one_line(void **state)
{
	char path[96];

	(void)state;
	writer.session->format = 99;
	assert_refused("format 99");
	writer.session->format = MPSAN_FORMAT;
	writer.session->slots = 1000000;
	assert_refused("truncated");
	writer.session->magic = 0;
	assert_refused("not a session");
	snprintf(path, sizeof(path), "%s/session", writer.dir);
	assert_int_equal(truncate(path, 100), 0);
	assert_refused("truncated");
	assert_int_equal(unlink(path), 0);
	assert_refused("no session here");
}

static void a_missing_or_cut_log_is_a_limit(void **state)
{
	json_t *document = report_create(NULL, &(struct report_exit){0, 0});
	char path[96];

	(void)state;
	write_wait(write_fork());
	snprintf(path, sizeof(path), "%s/%d.log", writer.dir, CHILD);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/%d.log", writer.dir, PARENT);
	assert_int_equal(truncate(path, 5000), 0);
	open_session();
	judge_all(20 * SECOND);
	report_add(document, &judge);
	assert_int_equal(json_array_size(json_object_get(document, "limits")), 2);
	json_decref(document);
	close_session();
}

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static uint64_t dice(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Fixes the sums of all records, so that what the fuzzer changed is believed. */
static void mend_sums(uint32_t slot)
{
	for (uint64_t pos = MPSAN_LOG_START; pos < 16384; pos += MPSAN_UNIT) {
		struct mpsan_record *record = (struct mpsan_record *)(writer.log[slot] + pos);

		if (record->commit >> 16 == MPSAN_RECORD_MAGIC && record->units &&
		    record->units < 64)
			record->commit =
				(uint32_t)MPSAN_RECORD_MAGIC << 16 |
				mpsan_record_sum((const uint64_t *)(record + 1),
						 (record->units * MPSAN_UNIT - sizeof(*record)) /
							 8);
	}
}

static void spoil(void)
{
	uint32_t slot = dice() % 2 ? PARENT : CHILD;
	uint8_t *bytes = dice() % 4 ? writer.log[slot] + MPSAN_LOG_START :
				      (uint8_t *)&writer.table[slot];
	uint64_t span = bytes == (uint8_t *)&writer.table[slot] ? sizeof(struct mpsan_process) :
								  4096;

	for (unsigned i = 0; i < 1 + dice() % 8; i++)
		bytes[dice() % span] = dice() % 3 ? (uint8_t)dice() : dice() % 2 ? 0xff : 0;
	if (dice() % 2)
		mend_sums(slot);
}

static void write_everything(void)
{
	static const struct mpsan_stack stack = {
		.bytes = 256, .valid = 0x1ffff, .regs = {[7] = 0x7000}};
	uint8_t raw[sizeof(stack) + 256] = {0};
	uint64_t text, path, held;

	memcpy(raw, &stack, sizeof(stack));
	held = write_fork();
	write_wait(held);
	path = writer_text(&writer, PARENT, SECOND, "/bin/true");
	WRITE(&writer, PARENT, module, SECOND, 100, .base = 0x1000, .end = 0x9000, .path = path);
	text = writer_put(&writer, PARENT, EV_stack, SECOND, 100, raw, sizeof(raw));
	WRITE(&writer, PARENT, fork, 10 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 2,
	      .stack = text,
	      .python = writer_text(&writer, PARENT, SECOND, "f\ta.py\t3\ng\tb.py\t4\n"));
	WRITE(&writer, PARENT, thread_start, SECOND, 101, .entry = 0x1100);
	WRITE(&writer, CHILD, unlock_failed, 12 * SECOND, 200, .lock = 0x1000, .held = held,
	      .held_slot = PARENT);
	WRITE(&writer, CHILD, lock_name, 12 * SECOND, 200, .lock = 0x1000, .name = path);
	WRITE(&writer, CHILD, limit, 12 * SECOND, 200, .what = text, .count = 3);
	WRITE(&writer, CHILD, exec, 19 * SECOND, 200, .path = text);
}

static void garbage_never_breaks_the_reader(void **state)
{
	(void)state;
	for (int round = 0; round < 400; round++) {
		json_t *document = report_create(NULL, &(struct report_exit){0, 0});

		writer_destroy(&writer);
		writer_create(&writer);
		write_everything();
		for (unsigned i = 0; i < 1 + dice() % 20; i++)
			spoil();
		open_session();
		reader_poll(&reader, 15 * SECOND);
		judge_triggers(&judge);
		judge_all(20 * SECOND);
		report_add(document, &judge);
		json_decref(document);
		close_session();
	}
}

#define STORY(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(an_orphaned_lock_is_told_with_its_names),
		STORY(a_wait_that_came_back_is_no_finding),
		STORY(a_wait_that_ended_with_its_process_is_no_finding),
		STORY(a_wait_that_outlasts_the_limit_before_death_is_a_finding),
		STORY(a_repaired_lock_is_no_finding),
		STORY(what_was_taken_back_is_no_act),
		STORY(live_and_later_tell_the_same),
		STORY(a_lost_process_gets_its_end_once),
		STORY(an_unfinished_record_is_waited_for_and_passed),
		STORY(a_record_whose_writer_was_killed_is_passed_as_one),
		STORY(the_unused_end_of_a_chunk_is_passed),
		STORY(a_damaged_record_is_counted_and_the_next_is_read),
		STORY(sessions_that_cannot_be_read_are_refused_in_one_line),
		STORY(a_missing_or_cut_log_is_a_limit),
		STORY(garbage_never_breaks_the_reader),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
