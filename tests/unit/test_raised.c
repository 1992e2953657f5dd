/*
 * The exceptions that threads of another process handle (shim/common/cpython/exception.c), against what that process says of itself
 * (raised_target.py); and the words for them (tools/symbols/raised.c). For /usr/bin/python3; with MPSAN_FULL for every CPython at
 * hand; PYTHON names another one.
 */
#include "symbols/pyview.h"
#include "symbols/raised.h"

#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT (1 << 14)
#define SHAPES 46u
#define TRIES 500 /* of 10 ms */

/* ---- reading ---- */

static const char *python_path;

static pid_t target_start(const char *word, FILE **from)
{
	int out[2];
	pid_t pid;

	assert_false(pipe(out));
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a test fails */
		dup2(out[1], 1);
		close(out[0]);
		setenv("PYTHONIOENCODING", "utf-8", 1);
		execl(python_path, python_path, "tests/unit/raised_target.py", word, NULL);
		_exit(127);
	}
	close(out[1]);
	*from = fdopen(out[0], "r");
	return pid;
}

/* What one thread should be read as; false behind the last one. */
static bool target_next(FILE *from, uint64_t *pthread, char *name, char *text)
{
	char line[4096];
	size_t at = 0;

	assert_non_null(fgets(line, sizeof(line), from));
	*pthread = strtoull(line, NULL, 10);
	strcpy(name, strchr(line, '\t') + 1);
	for (;;) {
		assert_non_null(fgets(line, sizeof(line), from));
		if (!strcmp(line, ".\n"))
			break;
		at += (size_t)snprintf(text + at, TEXT - at, "%s", line);
	}
	text[at] = '\0';
	return *pthread;
}

/* A thread says what it is before it waits: it may still be on its way. */
static void is_read(struct pyview *view, uint64_t pthread, const char *name, const char *expected)
{
	const struct timespec nap = {0, 10000000};
	static char text[TEXT];
	size_t length = 0;

	for (int i = 0; i < TRIES; i++, nanosleep(&nap, NULL)) {
		length = pyview_raised(view, pthread, text, sizeof(text));
		text[length] = '\0';
		if (!strcmp(text, expected))
			return;
	}
	fail_msg("%s: %sis\n%sread as\n%s", python_path, name, expected, text);
}

/* Whether it passes on what it handles, when it has waited. */
static bool cleans(const char *name)
{
	static const char *const names[] = {
		"task\n",
		"finally_waits\n",
		"leaves_block\n",
		"except_raises_again\n",
		"finally_of_other_except\n",
		"finally_after_try\n",
		"finally_in_generator\n",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void are_read(const char *word, unsigned count)
{
	static char expected[TEXT];
	char name[4096];
	struct pyview *view;
	uint64_t pthread;
	unsigned seen = 0;
	FILE *from;
	pid_t pid = target_start(word, &from);

	while (target_next(from, &pthread, name, expected)) {
		view = pyview_open(pid);
		assert_non_null(view);
		assert_null(pyview_limit(view));
		is_read(view, pthread, name, expected);
		if (!pyview_cleans(view, pthread) == cleans(name))
			fail_msg("%s: passes on, or not: %s", python_path, name);
		assert_int_equal(pyview_raised(view, pthread, name, 8), 0);
		assert_true(pyview_raised(view, pthread, name, 60) < 60);
		free(view);
		seen++;
	}
	assert_int_equal(seen, count);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fclose(from);
}

static void shapes_are_read_as_python_says(void **state)
{
	(void)state;
	are_read(NULL, SHAPES);
}

static void the_end_of_the_main_module_is_read(void **state)
{
	(void)state;
	are_read("end", SHAPES + 1);
}

/* ---- words ---- */

static void says(const char *text, const char *expected)
{
	json_t *handling = raised_json(text);
	char *words = raised_text(handling);

	assert_string_equal(words, expected);
	free(words);
	json_decref(handling);
}

static void a_sentence_is_made_of_it(void **state)
{
	(void)state;
	says("handles\tRuntimeError\tCUDA out of memory\ntrain\t/home/a/train.py\t88\nmain\t/home/a/train.py\t9\n",
	     " while handling RuntimeError('CUDA out of memory') raised at train (train.py:88)");
	says("handles\tKeyError\t\n", " while handling KeyError");
	says("handles\tm.Error\tit's\n", " while handling m.Error(\"it's\")");
	says("handles\tEmpty\t\nget\t/usr/lib/python3.11/queue.py\t179\ntake\t/home/a/b.py\t3\n",
	     " while handling Empty raised at take (b.py:3)");
	says("ended\tE\tx\nf\ta.py\t1\n\ncontext\tF\ty\ng\tb.py\t2\n",
	     " after E('x') raised at f (a.py:1) ended the main module");
	says("failed\tE\tx\nf\ta.py\t1\n",
	     " beside a Future that failed with E('x') raised at f (a.py:1)");
	says(NULL, "");
	says("", "");
	says("handles", "");
	says("handles\tE", "");
	says("handles\tE\tx", "");
}

static void the_one_before_is_kept(void **state)
{
	json_t *handling = raised_json(
		       "handles\tE\tx\nf\ta.py\t1\n\ncause\tF\t\ng\tb.py\t2\nh\tb.py\t3\n"),
	       *before = json_object_get(handling, "before");

	(void)state;
	assert_string_equal(json_string_value(json_object_get(before, "how")), "cause");
	assert_true(json_is_null(json_object_get(before, "text")));
	assert_int_equal(json_array_size(json_object_get(before, "raised")), 2);
	assert_int_equal(json_array_size(json_object_get(handling, "raised")), 1);
	json_decref(handling);
}

static int run(const char *python)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_are_read_as_python_says),
		cmocka_unit_test(the_end_of_the_main_module_is_read),
	};

	if (access(python, X_OK))
		return 0;
	python_path = python;
	return cmocka_run_group_tests_name(python, tests, NULL, NULL);
}

static int run_all(const char *pattern)
{
	int failed = 0;
	glob_t found;

	if (!getenv("MPSAN_FULL") || glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++)
		failed += run(found.gl_pathv[i]);
	globfree(&found);
	return failed;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_is_made_of_it),
		cmocka_unit_test(the_one_before_is_kept),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	const char *root = getenv("PYENV_ROOT");
	char pattern[512];

	if (getenv("PYTHON"))
		return failed + run(getenv("PYTHON"));
	failed += run("/usr/bin/python3");
	snprintf(pattern, sizeof(pattern), "%s%s/versions/3.[891]*/bin/python3",
		 root ? root : getenv("HOME"), root ? "" : "/.pyenv");
	failed += run_all(pattern);
	failed += run_all("build/pythons/free-threaded-*/bin/python3");
	pyview_finish();
	return failed;
}
