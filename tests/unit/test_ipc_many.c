/*
 * A session in which a hundred thousand pieces of device memory change hands, written record by record
 * and judged: in seconds, and each by its own story. Neighbours: log_writer.h,
 * tools/facts/cuda.h.
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

#include "../../tools/findings/judge.h"
#include "log_writer.h"

#define SECOND 1000000000ull
#define PRODUCER 5
#define CONSUMER 2
#ifdef MPSAN_SANITIZED
#define MANY 20000u
#else
#define MANY 100000u
#endif
#define LOST 1000u /* freed while they are open */
#define CPU_SECONDS_MAX 10.0 /* quadratic work would take minutes */

static struct log_writer writer;
static struct reader reader;
static struct judge judge;
static struct grades grades;
static uint64_t now, python[2];

static int begin(void **state)
{
	(void)state;
	writer_create(&writer);
	writer.log_bytes = 64u << 20;
	now = SECOND;
	writer_process(&writer, PRODUCER, UINT32_MAX, now);
	writer_process(&writer, CONSUMER, PRODUCER, now)->how = MPSAN_HOW_POSIX_SPAWN;
	python[0] = writer_text(&writer, PRODUCER, now, "send\ttrain.py\t7");
	python[1] = writer_text(&writer, CONSUMER, now, "receive\ttrain.py\t11");
	return 0;
}

static int end(void **state)
{
	(void)state;
	judge_finish(&judge);
	reader_close(&reader);
	writer_destroy(&writer);
	return 0;
}

static void put_export(uint64_t handle, uint64_t base)
{
	WRITE(&writer, PRODUCER, ipc_export, ++now, 100, .handle = handle,
	      .memory = MPSAN_MEMORY_DEVICE, .base = base, .bytes = 4096, .python = python[0]);
}

static void put_open(uint64_t handle, uint64_t address)
{
	WRITE(&writer, CONSUMER, ipc_open, ++now, 200, .handle = handle,
	      .memory = MPSAN_MEMORY_DEVICE, .address = address, .bytes = 4096,
	      .python = python[1]);
}

static void put_close(uint64_t handle, uint64_t address)
{
	WRITE(&writer, CONSUMER, ipc_close, ++now, 200, .handle = handle, .address = address);
}

static void put_free(uint64_t handle, uint64_t base)
{
	WRITE(&writer, PRODUCER, ipc_free, ++now, 100, .handle = handle, .base = base,
	      .bytes = 4096, .python = python[0]);
}

static const struct judged *find(enum rule_id rule)
{
	for (uint32_t i = 0; i < judge.found.count; i++)
		if (judge.found.item[i].rule == rule && judge.found.item[i].count)
			return &judge.found.item[i];
	return NULL;
}

static double cpu_seconds(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static void leave(uint32_t slot)
{
	writer.table[slot].end = MPSAN_END_EXIT;
	writer.table[slot].end_ns = now + 5 * SECOND;
}

/* Both processes live on for a while; then all is judged. */
static void judge_all(void)
{
	double began = cpu_seconds();
	char *wrong;

	leave(PRODUCER);
	leave(CONSUMER);
	wrong = reader_open(&reader, writer.dir, true);
	assert_null(wrong);
	grades_init(&grades);
	judge_init(&judge, &reader, &grades, NULL);
	reader_finish(&reader, now + 10 * SECOND);
	judge_triggers(&judge);
	assert_true(cpu_seconds() - began < CPU_SECONDS_MAX);
}

static void many_pieces_at_once_are_told_apart(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 1; i <= MANY; i++)
		put_export(i, (uint64_t)i << 12);
	for (i = 1; i <= MANY; i++)
		put_open(i, (uint64_t)i << 12);
	for (i = 1; i <= MANY - LOST; i++)
		put_close(i, (uint64_t)i << 12);
	for (i = 1; i <= MANY; i++)
		put_free(i, (uint64_t)i << 12);
	judge_all();
	assert_non_null(find(RULE_ipc_freed_while_open));
	assert_int_equal(find(RULE_ipc_freed_while_open)->grade, GRADE_ERROR);
	assert_int_equal(find(RULE_ipc_freed_while_open)->count, LOST);
	assert_null(find(RULE_ipc_never_opened));
	assert_null(find(RULE_ipc_double_open));
}

/* The same address and handle again and again: each life has its own end. */
static void many_lives_of_one_handle_are_told_apart(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= MANY; i++) {
		put_export(1, 4096);
		put_open(1, 4096);
		put_close(1, 4096);
		put_free(1, 4096);
	}
	put_export(1, 4096);
	put_open(1, 4096);
	put_free(1, 4096);
	judge_all();
	assert_int_equal(find(RULE_ipc_freed_while_open)->count, 1);
}

/* One piece, opened and closed all the time, as a cache does it that counts. */
static void many_opens_of_one_piece_are_no_finding(void **state)
{
	(void)state;
	put_export(1, 4096);
	for (uint32_t i = 1; i <= MANY; i++) {
		put_open(1, 4096);
		put_close(1, 4096);
	}
	put_free(1, 4096);
	judge_all();
	assert_int_equal(judge_worst(&judge), GRADE_OFF);
}

/* Each of them is a finding, of one cause. */
static void many_that_nobody_opened_are_one_finding(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= MANY; i++)
		put_export(i, (uint64_t)i << 12);
	judge_all();
	assert_int_equal(find(RULE_ipc_never_opened)->count, MANY);
	assert_int_equal(find(RULE_ipc_limits)->count, 1);
}

#define STORY(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(many_pieces_at_once_are_told_apart),
		STORY(many_lives_of_one_handle_are_told_apart),
		STORY(many_opens_of_one_piece_are_no_finding),
		STORY(many_that_nobody_opened_are_one_finding),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
