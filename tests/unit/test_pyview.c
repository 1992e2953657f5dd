/*
 * Python frames of another process (tools/symbols/pyview.c), against what that process says of itself
 * (pyview_target.py). For /usr/bin/python3; with MPSAN_FULL for every CPython at hand; PYTHON names
 * another one.
 */
#include "symbols/pyfile.h"
#include "symbols/pyview.h"

#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT (1 << 16)
#define PATIENCE_S 30
#define KILLS 12

/* ---- the program that is read ---- */

struct target {
	pid_t pid;
	FILE *to, *from;
	uint64_t self; /* the thread that reports */
};

static const char *python_path;

static void target_start(struct target *target)
{
	int to[2], from[2];

	assert_false(pipe(to) || pipe(from));
	target->pid = fork();
	if (!target->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a test fails */
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[1]);
		close(from[0]);
		execl(python_path, python_path, "tests/unit/pyview_target.py", NULL);
		_exit(127);
	}
	assert_true(target->pid > 0);
	close(to[0]);
	close(from[1]);
	target->to = fdopen(to[1], "w");
	target->from = fdopen(from[0], "r");
}

static void target_end(struct target *target)
{
	kill(target->pid, SIGKILL);
	waitpid(target->pid, NULL, 0);
	fclose(target->to);
	fclose(target->from);
}

static void target_say(struct target *target, const char *word)
{
	fprintf(target->to, "%s\n", word);
	fflush(target->to);
}

/* One thread of a report: its name and its stack; false behind the last one. */
static bool target_next(struct target *target, uint64_t *pthread, char *name, char *stack)
{
	char line[8192];
	size_t at = 0;

	assert_non_null(fgets(line, sizeof(line), target->from));
	line[strcspn(line, "\n")] = '\0';
	*pthread = strtoull(line, NULL, 10);
	strcpy(name, strchr(line, '\t') + 1);
	for (;;) {
		assert_non_null(fgets(line, sizeof(line), target->from));
		if (line[0] == '\n')
			break;
		at += (size_t)snprintf(stack + at, TEXT - at, "%s", line);
	}
	stack[at] = '\0';
	return strcmp(name, "self") != 0;
}

static bool patience(const time_t *begin)
{
	const struct timespec nap = {0, 10000000};

	nanosleep(&nap, NULL);
	return time(NULL) - *begin < PATIENCE_S;
}

/* ---- right answers ---- */

/* Whether all threads are read as they say they are; they may still be on their way. */
static bool agrees(struct target *target, struct pyview *view, bool say, unsigned *threads)
{
	static char name[8192], stack[TEXT], read_name[8192], read_stack[TEXT];
	bool right = true;
	uint64_t pthread;

	*threads = 0;
	target_say(target, "report");
	while (target_next(target, &pthread, name, stack)) {
		size_t length = pyview_stack(view, pthread, read_stack, TEXT);

		assert_int_equal(length, strlen(read_stack));
		pyview_name(view, pthread, read_name, sizeof(read_name));
		if (strcmp(name, read_name) || strcmp(stack, read_stack)) {
			right = false;
			if (say)
				print_error("thread %s is\n%sread as %s\n%s", name, stack,
					    read_name, read_stack);
		}
		++*threads;
	}
	target->self = pthread;
	return right && *threads == 7;
}

static struct pyview *view_of(struct target *target)
{
	time_t begin = time(NULL);
	struct pyview *view;

	while (!(view = pyview_open(target->pid)) && patience(&begin))
		;
	assert_non_null(view);
	return view;
}

static void test_frames(void **state)
{
	struct target target;
	struct pyview *view;
	time_t begin;
	unsigned threads = 0;
	char text[100];

	(void)state;
	target_start(&target);
	target_say(&target, "report"); /* so that Python is there, all of it */
	while (target_next(&target, &target.self, text, (char[TEXT]){0}))
		;
	view = view_of(&target);
	assert_null(pyview_limit(view));
	begin = time(NULL);
	while (!agrees(&target, view, false, &threads))
		if (!patience(&begin)) {
			agrees(&target, view, true, &threads);
			fail_msg("%s: %u threads do not agree", python_path, threads);
		}
	assert_int_equal(pyview_stack(view, 12345, text, sizeof(text)), 0);
	assert_int_equal(pyview_name(view, 12345, text, sizeof(text)), 0);
	free(view);
	target_end(&target);
}

static void test_gil(void **state)
{
	static char name[8192], stack[TEXT];
	struct target target;
	struct pyview *view;
	time_t begin;

	(void)state;
	target_start(&target);
	target_say(&target, "hold");
	while (target_next(&target, &target.self, name, stack))
		;
	view = view_of(&target);
	/* Others may hold it until the listener has it for good. */
	for (begin = time(NULL); pyview_gil_holder(view) != target.self;)
		assert_true(patience(&begin));
	free(view);
	target_end(&target);

	target_start(&target);
	target_say(&target, "report");
	while (target_next(&target, &target.self, name, stack))
		;
	view = view_of(&target);
	for (begin = time(NULL); pyview_gil_holder(view);)
		assert_true(patience(&begin));
	free(view);
	target_end(&target);
}

/* ---- a process that changes, and is gone ---- */

static bool well_formed(const char *text, size_t length)
{
	return strlen(text) == length && (!length || text[length - 1] == '\n');
}

/* Reads until it dies of the signal that a child of ours sends at some time. */
static void read_until_death(struct target *target, unsigned ms)
{
	static char name[8192], text[TEXT];
	uint64_t ident[64];
	unsigned idents = 0;
	struct pyview *view;
	pid_t killer;

	target_say(target, "churn");
	while (idents < 60 && target_next(target, &ident[idents], name, text))
		idents++;
	idents++;
	view = view_of(target);
	killer = fork();
	if (!killer) {
		nanosleep(&(struct timespec){0, ms * 1000000l}, NULL);
		kill(target->pid, SIGKILL);
		_exit(0);
	}
	for (unsigned i = 0; !waitpid(target->pid, NULL, WNOHANG); i++) {
		uint64_t pthread = i % 7 ? ident[i % idents] : pyview_gil_holder(view);

		assert_true(well_formed(text, pyview_stack(view, pthread, text, TEXT)));
		assert_true(well_formed(text, pyview_raised(view, pthread, text, TEXT)));
		pyview_name(view, pthread, name, sizeof(name));
	}
	waitpid(killer, NULL, 0);
	assert_int_equal(pyview_stack(view, ident[0], text, TEXT), 0);
	assert_int_equal(pyview_gil_holder(view), 0);
	free(view);
	assert_null(pyview_open(target->pid));
	fclose(target->to);
	fclose(target->from);
}

static void test_killed(void **state)
{
	struct target target;

	(void)state;
	for (unsigned i = 0; i < KILLS; i++) {
		target_start(&target);
		read_until_death(&target, 3 + 7 * i);
	}
}

/* Memory that makes no sense any more: short reads, and words that are somebody else's by now. */
static unsigned lies; /* in 1024 reads */

static unsigned roll(void)
{
	static unsigned dice = 12345;

	return (dice = dice * 1664525u + 1013904223u) >> 8;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long to_count,
			 const struct iovec *from, unsigned long from_count, unsigned long flags)
{
	ssize_t got = syscall(SYS_process_vm_readv, pid, to, to_count, from, from_count, flags);

	if (got <= 0 || roll() % 1024 >= lies)
		return got;
	if (roll() % 3 == 0)
		return (ssize_t)(roll() % ((unsigned)got + 1));
	if (roll() % 2)
		memset(to->iov_base, (int)roll(), (size_t)got);
	else
		((char *)to->iov_base)[roll() % (unsigned)got] = (char)roll();
	return got;
}

static void test_lies(void **state)
{
	static char name[8192], text[TEXT];
	uint64_t ident[64];
	unsigned idents = 0;
	struct target target;
	struct pyview *view;

	(void)state;
	target_start(&target);
	target_say(&target, "report");
	while (idents < 60 && target_next(&target, &ident[idents], name, text))
		idents++;
	idents++;
	for (unsigned i = 0; i < 3000; i++) {
		lies = i % 10 ? 1 + roll() % 300 : 0;
		view = pyview_open(target.pid);
		if (!view)
			continue;
		assert_true(well_formed(text, pyview_stack(view, ident[i % idents], text,
							   1 + roll() % (TEXT - 1))));
		assert_true(well_formed(text, pyview_raised(view, ident[i % idents], text,
							    1 + roll() % (TEXT - 1))));
		pyview_name(view, ident[i % idents], name, sizeof(name));
		pyview_gil_holder(view);
		free(view);
	}
	lies = 0;
	target_end(&target);
}

/* ---- what is no CPython ---- */

static void test_others(void **state)
{
	pid_t pid = fork();
	const struct python_symbols *once, *again;

	(void)state;
	if (!pid) {
		pause();
		_exit(0);
	}
	assert_null(pyview_open(pid));
	assert_null(pyview_open(0));
	assert_null(pyview_open(1 << 30));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_null(pyview_open(pid));
	assert_null(python_symbols_find("tests/unit/no such file"));
	once = python_symbols_find("/bin/sh");
	assert_non_null(once);
	assert_false(once->is_cpython);
	again = python_symbols_find("/bin/sh");
	assert_ptr_equal(once, again);
	assert_false(python_symbols_find("tests/unit/pyview_target.py")->is_cpython);
}

static int run(const char *python)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_gil),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_lies),
	};

	if (access(python, X_OK))
		return 0;
	python_path = python;
	return cmocka_run_group_tests_name(python, tests, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_others)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	const char *root = getenv("PYENV_ROOT");
	char pattern[512];
	glob_t found;

	if (getenv("PYTHON"))
		return failed + run(getenv("PYTHON"));
	failed += run("/usr/bin/python3");
	snprintf(pattern, sizeof(pattern), "%s%s/versions/3.[891]*/bin/python3",
		 root ? root : getenv("HOME"), root ? "" : "/.pyenv");
	if (getenv("MPSAN_FULL") && !glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			failed += run(found.gl_pathv[i]);
		globfree(&found);
	}
	pyview_finish();
	return failed;
}
