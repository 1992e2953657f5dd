/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing to examine a process, on kernels and under users that the machine does not have. */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../tools/attach/rights.h"
#include "../../tools/proc/procfs.h"

#define OTHER 4711u /* the process that may not be examined */

static struct {
	const char *yama; /* NULL: no such file */
	unsigned long long capabilities;
	unsigned uid; /* of the process */
} world;

static int open_made_up(const char *name)
{
	char text[256] = "", own[32], other[32];
	int fd;

	snprintf(own, sizeof(own), "%d/status", getpid());
	snprintf(other, sizeof(other), "%u/status", OTHER);
	if (!strcmp(name, "sys/kernel/yama/ptrace_scope") && world.yama)
		snprintf(text, sizeof(text), "%s\n", world.yama);
	else if (!strcmp(name, own))
		snprintf(text, sizeof(text), "Name:\tx\nCapEff:\t%016llx\n", world.capabilities);
	else if (!strcmp(name, other))
		snprintf(text, sizeof(text), "Name:\tx\nTgid:\t%u\nUid:\t%u\t%u\t%u\t%u\n", OTHER,
			 world.uid, world.uid, world.uid, world.uid);
	else
		return -1;
	fd = memfd_create("proc", 0);
	assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static const struct procfs_source source = {.open = open_made_up};

static void misses(const char *what)
{
	char *text;

	procfs_use(&source);
	text = rights_missing(OTHER);
	procfs_use(NULL);
	if (!strstr(text, what))
		fail_msg("'%s' is not in: %s", what, text);
	assert_null(strchr(text, '\n'));
	free(text);
}

static void yama_says_how_much(void **state)
{
	uid_t own = geteuid();

	(void)state;
	world.capabilities = 0;
	world.yama = "3";
	misses("forbids it to everybody");
	if (!own)
		assert_false(seteuid(65534)); /* root is told of its capabilities instead */
	world.uid = geteuid();
	world.yama = "1";
	misses("kernel.yama.ptrace_scope=1 allows it to ancestors only");
	world.yama = "2";
	misses("kernel.yama.ptrace_scope=2 needs CAP_SYS_PTRACE");
	assert_false(seteuid(own));
}

static void capabilities_are_told_apart(void **state)
{
	(void)state;
	world.yama = NULL;
	world.uid = geteuid() + 1;
	world.capabilities = 1ull << 19 | 1ull << 2;
	misses("it is refused although mpsan has CAP_SYS_PTRACE");
	world.capabilities = 0;
	misses(geteuid() ? "it belongs to " : "CAP_SYS_PTRACE is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(yama_says_how_much),
		cmocka_unit_test(capabilities_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
