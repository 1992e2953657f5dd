/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of processes are those of what is examined: of the living process, or of what stands in for it. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/process/variables.h"
#include "proc/procfs.h"

static pid_t child;

/* A program that waits until its input ends, with variables of its own. */
static int begin(void **state)
{
	static int ends[2];
	static char *environment[] = {"RANK=3", "RANKS=4", "EMPTY=", NULL};
	char *words[] = {"cat", NULL};
	int ready[2];
	char none;

	(void)state;
	if (pipe2(ends, 0) || pipe2(ready, O_CLOEXEC) || (child = fork()) < 0)
		return -1;
	if (!child) {
		dup2(ends[0], 0);
		close(ends[0]);
		close(ends[1]);
		execvpe("cat", words, environment);
		_exit(127);
	}
	close(ends[0]);
	close(ready[1]);
	return read(ready[0], &none, 1) || close(ready[0]); /* it has closed this one by exec */
}

static int end(void **state)
{
	(void)state;
	variables_finish();
	return kill(child, SIGKILL) || waitpid(child, NULL, 0) != child;
}

static void a_living_process_has_its_own(void **state)
{
	(void)state;
	variables_read((uint32_t)child);
	assert_string_equal(variables_get("RANK"), "3");
	assert_string_equal(variables_get("EMPTY"), "");
	assert_null(variables_get("RAN"));
	assert_null(variables_get("PATH"));
	variables_read(0);
	assert_null(variables_get("RANK"));
}

static const char *told;

static int open_told(const char *name)
{
	int fd = told && strstr(name, "/environ") ? memfd_create("environ", MFD_CLOEXEC) : -1;

	if (fd >= 0 && (write(fd, told, strlen(told) + 1) < 0 || lseek(fd, 0, SEEK_SET)))
		abort();
	return fd;
}

/* A core file's process may have the number of one that lives now, and is another one. */
static void one_that_does_not_live_has_none_of_a_namesake(void **state)
{
	static const struct procfs_source source = {.open = open_told};

	(void)state;
	procfs_use(&source);
	told = NULL;
	variables_read((uint32_t)child);
	assert_null(variables_get("RANK"));
	told = "RANK=7";
	variables_read((uint32_t)child);
	assert_string_equal(variables_get("RANK"), "7");
	procfs_use(NULL);
	variables_read((uint32_t)child);
	assert_string_equal(variables_get("RANK"), "3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_living_process_has_its_own),
		cmocka_unit_test(one_that_does_not_live_has_none_of_a_namesake),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
