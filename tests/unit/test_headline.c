/* SPDX-License-Identifier: Apache-2.0 */
/* The first lines of a finding: where a text is cut in two, and what it loses where there is little room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/headline.h"
#include "base/utf8.h"
#include "base/util.h"

static void splits(const char *text, const char *what, const char *why, const char *whole)
{
	struct headline headline = headline_split(text);
	AUTO_FREE char *plain_what = headline_whole(headline.what),
		       *plain_why = headline_whole(headline.why),
		       *plain = headline_whole(headline.whole);

	assert_string_equal(plain_what, what);
	assert_string_equal(plain_why, why);
	assert_string_equal(plain, whole);
	headline_drop(&headline);
}

static void a_text_is_cut_at_bars_or_where_a_clause_ends(void **state)
{
	(void)state;
	splits("a waits| for |b: c has it", "a waits", "b: c has it", "a waits for b: c has it");
	splits("a failed at b: none was free; c", "a failed at b", "none was free; c",
	       "a failed at b: none was free; c");
	splits("a waits; b", "a waits", "b", "a waits; b");
	splits("a waits[ at b]|, |which c", "a waits at b", "which c", "a waits at b, which c");
	splits("a at b:c", "a at b:c", "", "a at b:c");
	splits("a | b", "a | b", "", "a | b");
	splits("", "", "", "");
}

/* `text` has brackets as templates do. */
static void fits(const char *text, size_t columns, const char *expected)
{
	struct headline headline = headline_split(text);
	AUTO_FREE char *fitted = headline_fit(headline.whole, columns);

	assert_string_equal(fitted, expected);
	headline_drop(&headline);
}

static void a_text_loses_what_matters_least(void **state)
{
	static const char lock[] =
		"Lock \"a\" (job.py, global), made at main (job.py:2): thread \"b\" held it[, taken at "
		"take (job.py:4),] and is gone";

	(void)state;
	fits(lock, 200,
	     "Lock \"a\" (job.py, global), made at main (job.py:2): thread \"b\" held it, taken at "
	     "take (job.py:4), and is gone");
	fits(lock, 90,
	     "Lock \"a\" (job.py, global): thread \"b\" held it, taken at take (job.py:4), and is gone");
	fits(lock, 80,
	     "Lock \"a\" (job.py, global): \"b\" held it, taken at take (job.py:4), and is gone");
	fits(lock, 55, "Lock \"a\": \"b\" held it, taken at job.py:4, and is gone");
	fits(lock, 36, "Lock \"a\": \"b\" held it and is gone");
	fits(lock, 30, "Lock \"a\": \"b\" held it and is…");
	fits("the main thread of a (pid 7) waits at f (x.py:3)", 40,
	     "a (pid 7) waits at f (x.py:3)");
	fits("a waits for b; c waits for d (e.py:9)", 20, "a waits for b");
	fits("a ended by ValueError('much text that nobody needs') at f (x.py:3)", 50,
	     "a ended by ValueError('much text that…') at x.py:3");
	fits("an error (that is long) of a", 12, "an error…");
	fits("a (pid 7) ended by ValueError('much text that nobody needs') at f (x.py:3)[, with status 1], and b waits",
	     40, "a (pid 7) ended by ValueError at x.py:3");
	fits("a (pid 7) ended by ValueError('text') at f (x.py:3)", 32,
	     "a ended by ValueError at x.py:3");
	fits("a (pid 7) ended by ValueError at f (long_name.py:3)", 34,
	     "a ended by ValueError at …ame.py:3");
	fits("[a is long]: b is why", 10, "b is why");
	fits("(", 0, "…");
	fits("wwwwwwwwwwww", 5, "wwww…");
	fits("größe über alles", 9, "größe…");
}

static void rests(const char *why, const char *fix, const char *expected)
{
	AUTO_FREE char *lines = headline_lines("a", why, fix);

	assert_string_equal(lines, expected);
}

static void a_fix_ends_with_a_clause(void **state)
{
	(void)state;
	rests("", "do a", "a\n  → do a");
	rests("b", "do a: then c; and d", "a\n  b\n  → do a: then c; and d");
	rests("b",
	      "hold no lock across fork: start processes before threads, or use spawn or forkserver; replace a "
	      "lock of your own",
	      "a\n  b\n  → hold no lock across fork: start processes before threads, or use spawn or forkserver");
	rests("b",
	      "release the GIL before you wait for another thread (Py_BEGIN_ALLOW_THREADS, gil_scoped_release of "
	      "pybind11)",
	      "a\n  b\n  → release the GIL before you wait for another thread");
}

static void a_fix_names_things_briefly(void **state)
{
	(void)state;
	rests("",
	      "start thread \"b\" (TID 7) after the fork at main (job.py:36), or use get_context(\"spawn\").Process(); replace the lock",
	      "a\n  → start \"b\" after the fork at main (job.py:36), or use get_context(\"spawn\").Process()");
}

/* Whatever it is, it fits. */
static void every_text_fits(void **state)
{
	static const char parts[] = "a (\"')[]|:; ,x.py:3)\x01\x02\xc3\xb6\"thread made at ";
	unsigned seed = 1;

	(void)state;
	for (unsigned turn = 0; turn < 20000; turn++) {
		char text[80], *to = text;
		size_t columns = turn % 40, used = 0, length;
		struct headline headline;

		while (to < text + sizeof(text) - 1)
			*to++ = parts[(seed = seed * 1103515245 + 12345) / 65536 %
				      (sizeof(parts) - 1)];
		*to = '\0';
		headline = headline_split(text);
		{
			AUTO_FREE char *fitted = headline_fit(headline.whole, columns),
				       *rest = headline_lines(headline.what, headline.what,
							      headline.why);

			for (const char *at = fitted; *at; at += length, used++)
				utf8_decode(at, &length);
			assert_true(used <= (columns ? columns : 1));
			assert_non_null(rest);
		}
		headline_drop(&headline);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_cut_at_bars_or_where_a_clause_ends),
		cmocka_unit_test(a_text_loses_what_matters_least),
		cmocka_unit_test(a_fix_ends_with_a_clause),
		cmocka_unit_test(a_fix_names_things_briefly),
		cmocka_unit_test(every_text_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
