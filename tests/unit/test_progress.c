/*
 * The line of progress, on a terminal and elsewhere. Neighbour: tools/base/progress.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/base/progress.h"
#include "../../tools/base/util.h"

#define SHORT_MS 400 /* of work in vain: nothing is said yet */
#define LONG_MS 1500
#define STEPS 100u

static uint64_t fake_now_ns = 1;

/* The machine may be busy: what is tested is what follows from the time, not how it passes. */
static uint64_t fake_clock(int clock)
{
	(void)clock;
	return fake_now_ns;
}

/* Works for so long on one session, as a reader would: each step is some of a hundred. */
static void work(const char *name, int milliseconds)
{
	progress_begin(name);
	progress_phase("reading", STEPS);
	for (uint32_t i = 0; i < STEPS; i++) {
		fake_now_ns += (uint64_t)milliseconds * 1000000 / STEPS;
		for (int k = 0; k < 16; k++)
			progress_step(k == 0);
	}
	progress_end();
	fputs("the report\n", stderr);
}

/* What the sessions put on a terminal, or into a pipe, that is `columns` wide. */
static char *output_of(bool terminal, int columns, void (*run)(void))
{
	struct winsize size = {.ws_row = 5, .ws_col = (unsigned short)columns};
	char *text = memory_get(1 << 16);
	int ends[2], status;
	size_t length = 0;
	ssize_t got;
	pid_t child;

	if (terminal)
		assert_int_equal(openpty(&ends[0], &ends[1], NULL, NULL, &size), 0);
	else
		assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		run();
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], text + length, (1 << 16) - 1 - length)) > 0)
		length += (size_t)got;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return text;
}

static uint32_t count(const char *text, const char *what)
{
	uint32_t found = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		found++;
	return found;
}

static void run_short(void)
{
	work("/s", SHORT_MS);
}

static void run_long(void)
{
	work("/a\033[2Jb", LONG_MS);
}

/* The second of several sessions is shown when all of them together take long. */
static void run_two(void)
{
	work("/one", LONG_MS / 2);
	work("/two", LONG_MS / 2);
}

/* What is read twice counts from the beginning again. */
static void run_again(void)
{
	progress_begin("/s");
	progress_phase("reading", STEPS);
	progress_step(STEPS);
	progress_again("exporting");
	fake_now_ns += LONG_MS * 1000000ull;
	for (int k = 0; k < 16; k++)
		progress_step(1);
	progress_end();
}

static void nothing_for_a_second(void **state)
{
	char *text = output_of(true, 80, run_short);

	(void)state;
	assert_string_equal(text, "the report\r\n");
	free(text);
}

static void a_line_that_is_erased(void **state)
{
	char *text = output_of(true, 80, run_long), *last = strstr(text, "the report");
	uint32_t shown = count(text, "\rmpsan: reading /a [2Jb: ");

	(void)state;
	assert_int_equal(shown, 3); /* five a second, from the first second on */
	assert_non_null(last);
	assert_true(last - text > 4 && !memcmp(last - 4, "\r\033[K", 4));
	assert_int_equal(count(text, "\n"), 1);
	free(text);
}

static void several_count_together(void **state)
{
	char *text = output_of(true, 80, run_two);

	(void)state;
	assert_null(strstr(text, "/one"));
	assert_non_null(strstr(text, "reading /two: "));
	free(text);
}

static void once_more(void **state)
{
	char *text = output_of(true, 80, run_again);

	(void)state;
	assert_non_null(strstr(text, "\rmpsan: exporting /s: 1 %"));
	free(text);
}

static void no_wider_than_the_terminal(void **state)
{
	char *text = output_of(true, 12, run_long);

	(void)state;
	assert_non_null(strstr(text, "\rmpsan: read\033[K"));
	assert_null(strstr(text, "reading"));
	free(text);
}

static void nothing_without_a_terminal(void **state)
{
	char *text = output_of(false, 0, run_long);

	(void)state;
	assert_string_equal(text, "the report\n");
	setenv("TERM", "dumb", 1);
	free(text);
	text = output_of(true, 80, run_long);
	assert_string_equal(text, "the report\r\n");
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_for_a_second),
		cmocka_unit_test(a_line_that_is_erased),
		cmocka_unit_test(several_count_together),
		cmocka_unit_test(once_more),
		cmocka_unit_test(no_wider_than_the_terminal),
		cmocka_unit_test(nothing_without_a_terminal),
	};

	progress_clock = fake_clock;
	setenv("TERM", "xterm", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
