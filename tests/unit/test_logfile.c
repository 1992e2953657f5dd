/*
 * How long the reader of a log waits for a record that is not finished. Neighbours: log_writer.h,
 * tools/reader/logfile.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "../../tools/reader/logfile.h"
#include "log_writer.h"

#define SECOND 1000000000ull
#define SLOT 7

static struct log_writer writer;
static struct logfile file;

/* A log with a record that nobody has finished, and one after it. */
static void open_log(bool begun)
{
	int dir;
	uint64_t pos;

	writer_create(&writer);
	writer_process(&writer, SLOT, UINT32_MAX, SECOND);
	pos = writer_reserve(&writer, SLOT, MPSAN_UNIT - sizeof(struct mpsan_record));
	if (begun)
		((struct mpsan_record *)(void *)(writer.log[SLOT] + pos))->units = 1;
	WRITE(&writer, SLOT, fork, 2 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 4);
	dir = open(writer.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(logfile_open(&file, dir, SLOT));
	close(dir);
}

static int end(void **state)
{
	(void)state;
	logfile_close(&file);
	writer_destroy(&writer);
	return 0;
}

static bool passes(uint64_t after_ns)
{
	struct record record;

	return logfile_next(&file, 10 * SECOND + after_ns, SECOND, &record);
}

static void a_place_that_was_only_reserved_is_passed_soon(void **state)
{
	(void)state;
	open_log(false);
	assert_false(passes(0));
	assert_false(passes(SECOND - 1));
	assert_true(passes(SECOND));
	assert_int_equal(file.unfinished, 0);
}

/* Its writer may be waiting for a processor. */
static void a_record_that_was_begun_is_passed_late(void **state)
{
	(void)state;
	open_log(true);
	assert_false(passes(0));
	assert_false(passes(10 * SECOND - 1));
	assert_true(passes(10 * SECOND));
	assert_int_equal(file.unfinished, 1);
}

int main(void)
{
	const struct CMUnitTest stories[] = {
		cmocka_unit_test_teardown(a_place_that_was_only_reserved_is_passed_soon, end),
		cmocka_unit_test_teardown(a_record_that_was_begun_is_passed_late, end),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
