/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of /proc have names in them that others chose: long ones, with blanks, line breaks and parentheses. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc/proc.h"
#include "proc/process/cgroup.h"
#include "proc/process/status.h"
#include "proc/procfs.h"
#include "proc/procmaps.h"

#define LONG_BYTES 9000u

static const char *text; /* of every file; NULL: there is none */

static int open_text(const char *name)
{
	int fd = text ? memfd_create(name, MFD_CLOEXEC) : -1;

	if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET)))
		abort();
	return fd;
}

static int begin(void **state)
{
	static const struct procfs_source source = {.open = open_text};

	(void)state;
	text = NULL;
	procfs_use(&source);
	return 0;
}

static int end(void **state)
{
	(void)state;
	procfs_use(NULL);
	return 0;
}

static void a_mapping_is_read_as_it_is(void **state)
{
	struct procmaps_walk walk;

	(void)state;
	text = "1000-3000 r-xp 00002000 fe:01 77                         /a b\\012c (deleted)\n"
	       "no mapping\n"
	       "3000-4000 rw-s 00000000 00:00 0\n";
	walk = procmaps_begin(7);
	assert_true(procmaps_next(&walk));
	assert_true(walk.at.start == 0x1000 && walk.at.end == 0x3000 && walk.at.offset == 0x2000);
	assert_true(walk.at.device == 0xfe01 && walk.at.inode == 77);
	assert_string_equal(walk.at.rights, "r-xp");
	assert_string_equal(walk.at.path, "/a b\\012c (deleted)");
	assert_true(procmaps_next(&walk));
	assert_string_equal(walk.at.rights, "rw-s");
	assert_string_equal(walk.at.path, "");
	assert_false(procmaps_next(&walk));
	assert_true(procmaps_end(&walk));
}

static void an_overlong_path_is_cut_and_hides_nothing(void **state)
{
	static const char head[] = "1000-2000 r-xp 0 00:01 1 /",
			  rest[] = "3000-4000 rw-p 0 00:00 0 \n5000-6000 rw-p 0 00:00 0\n";
	char lines[sizeof(head) + LONG_BYTES + sizeof(rest)];
	struct procmaps_walk walk;

	(void)state;
	strcpy(lines, head);
	memset(lines + strlen(head), 'x', LONG_BYTES);
	strcpy(lines + strlen(head) + LONG_BYTES, rest);
	for (unsigned i = 1; i < LONG_BYTES; i += 57) /* what looks like a line is none */
		memcpy(lines + strlen(head) + i, " 7000-8000 rw-p 0 00:00 0 ", 26);
	lines[strlen(head) + LONG_BYTES - 1] = '\n';
	text = lines;
	walk = procmaps_begin(7);
	assert_true(procmaps_next(&walk));
	assert_int_equal(strlen(walk.at.path), PATH_MAX - 1);
	assert_true(procmaps_next(&walk));
	assert_int_equal(walk.at.start, 0x3000);
	assert_true(procmaps_next(&walk));
	assert_int_equal(walk.at.start, 0x5000);
	assert_false(procmaps_next(&walk));
	procmaps_end(&walk);
}

static void what_cannot_be_read_is_not_empty(void **state)
{
	struct procmaps maps = {0};

	(void)state;
	assert_false(procmaps_read(&maps, 7));
	assert_int_equal(proc_maps(7, 1, 1), -1);
	assert_int_equal(proc_has_aio(7), -1);
	text = "";
	assert_true(procmaps_read(&maps, 7));
	assert_int_equal(proc_maps(7, 1, 1), 0);
	assert_int_equal(proc_has_aio(7), 0);
}

static void a_command_may_look_like_its_state(void **state)
{
	struct proc_stat stat;

	(void)state;
	text = "7 (a) R 9 (b) S 3 7 7 0 -1 4194368 21 0 22 0 1 1 0 0 20 0 5 0 4711 0 0 0 0 0 99";
	stat = proc_stat(7, 7);
	assert_int_equal(stat.state, 'S');
	assert_true(stat.parent == 3 && stat.threads == 5 && stat.start == 4711);
	assert_true(stat.faults == 21 && stat.read_pages == 22 && stat.stack == 99);
	assert_true(stat.forked && !stat.kernel && !stat.exits && !stat.processor && !stat.ended);
	text = "7 (a) S 3 7 7 0 -1";
	assert_int_equal(proc_stat(7, 7).state, 0);
	text = "7 (a) ";
	assert_int_equal(proc_stat(7, 7).state, 0);
	text = "7 (a";
	assert_int_equal(proc_stat(7, 7).state, 0);
}

static void a_key_begins_a_line(void **state)
{
	uint64_t number = 0;

	(void)state;
	text = "Name:\tTgid:\t5\nTgid:\t9\nSigCgt:\t00000000000000ff\n";
	assert_true(proc_status_number(7, 0, "Tgid", 10, &number));
	assert_int_equal(number, 9);
	assert_true(proc_status_number(7, 7, "SigCgt", 16, &number));
	assert_int_equal(number, 0xff);
	assert_false(proc_status_number(7, 0, "Tgi", 10, &number));
	text = NULL;
	assert_false(proc_status_number(7, 0, "Tgid", 10, &number));
}

static void is_group(const char *lines, const char *controller, const char *directory)
{
	char *found = cgroup_named(lines, controller);

	if (directory)
		assert_string_equal(found, directory);
	else
		assert_null(found);
	free(found);
}

static void a_group_is_that_of_its_controller(void **state)
{
	static const char lines[] =
		"12:cpu,cpuacct:/a 0::/b:memory:/c\n3:name=memory:/d\n2:memory:/e\n0::/f:1/g\n";
	char group[] = "/sys/fs/cgroup/f/g";

	(void)state;
	is_group(lines, "", "/sys/fs/cgroup/f:1/g");
	is_group(lines, "cpu", "/sys/fs/cgroup/cpu/a 0::/b:memory:/c");
	is_group(lines, "cpuacct", "/sys/fs/cgroup/cpuacct/a 0::/b:memory:/c");
	is_group(lines, "memory", "/sys/fs/cgroup/memory/e");
	is_group(lines, "acct", NULL);
	is_group("", "", NULL);
	is_group("0:", "", NULL);
	is_group("0::", "", NULL);
	assert_true(cgroup_parent(group));
	assert_true(cgroup_parent(group));
	assert_string_equal(group, "/sys/fs/cgroup");
	assert_false(cgroup_parent(group));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_mapping_is_read_as_it_is, begin, end),
		cmocka_unit_test_setup_teardown(an_overlong_path_is_cut_and_hides_nothing, begin,
						end),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_empty, begin, end),
		cmocka_unit_test_setup_teardown(a_command_may_look_like_its_state, begin, end),
		cmocka_unit_test_setup_teardown(a_key_begins_a_line, begin, end),
		cmocka_unit_test_setup_teardown(a_group_is_that_of_its_controller, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
