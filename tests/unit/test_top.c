/*
 * What `mpsan top` draws and what its keys mean, without a terminal: documents in, lines out. Neighbour: tools/top/top.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "../../tools/top/top.h"

#define SECOND 1000000000ll
#define WORKERS 40

static struct top_picture picture;
static struct top_view view;
static struct top_rows lines;

static json_t *thread_json(int tid, const char *name, const char *lock, long long since_ns,
			   bool for_ever)
{
	json_t *wait = json_pack("{s:s, s:s, s:s, s:s, s:n, s:b, s:I, s:b, s:n, s:b, s:s}", "kind",
				 "mutex", "lock", "0x1000", "name", lock, "text", lock, "call",
				 "timed", 0, "since_ns", (json_int_t)since_ns, "at_least", 0,
				 "owner", "for_ever", for_ever, "at", "f (a.c:1)");

	return json_pack("{s:i, s:s, s:s, s:o, s:[], s:[{s:s, s:s, s:I, s:s, s:i}], s:[]}", "tid",
			 tid, "name", name, "state", "waiting", "waits_for", wait, "holds", "stack",
			 "function", "f", "module", "/bin/a", "offset", (json_int_t)16, "file",
			 "a.c", "line", 1, "python");
}

static json_t *process_json(int pid, int parent, const char *word, json_t *thread)
{
	return json_pack("{s:i, s:i, s:[ss], s:s, s:I, s:n, s:n, s:s, s:s, s:I, s:[o]}", "pid", pid,
			 "parent", parent, "argv", "python3", word, "how", parent ? "fork" : "root",
			 "start_ns", (json_int_t)(10 * SECOND), "end_ns", "end", "watched", "",
			 "state", "alive", "shm_bytes", (json_int_t)4096, "threads", thread);
}

static json_t *finding_json(const char *grade, const char *message, long long time_ns)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:i, s:[]}", "rule", "hang",
			 "severity", grade, "message", message, "fix", "do not", "fingerprint",
			 message, "count", 1, "time_ns", (json_int_t)time_ns, "pid", 7, "evidence");
}

static int begin(void **state)
{
	json_t *processes = json_array();

	(void)state;
	json_array_append_new(
		processes, process_json(100, 0, "train.py",
					thread_json(100, "main thread", "one", 20 * SECOND, true)));
	for (int i = 1; i <= WORKERS; i++) {
		char lock[16];

		snprintf(lock, sizeof(lock), "lock-%d", i);
		json_array_append_new(processes,
				      process_json(100 + i, 100, "worker",
						   thread_json(100 + i, i % 2 ? "odd" : "even",
							       lock, (60 - i) * SECOND, false)));
	}
	picture = (struct top_picture){
		.document = json_pack("{s:s, s:b, s:I, s:o, s:n, s:[o,o], s:[]}", "session",
				      "/tmp/s", "live", 1, "time_ns", (json_int_t)(70 * SECOND),
				      "processes", processes, "exports", "findings",
				      finding_json("error", "the first", 30 * SECOND),
				      finding_json("note", "the second", 40 * SECOND), "limits"),
		.memory = json_pack("{s:[], s:{s:i, s:i}}", "segments", "made", "segments", 0,
				    "bytes", 0),
		.shm_bytes = 1 << 30,
		.shm_free = 1 << 29,
	};
	top_view_init(&view);
	return 0;
}

static int end(void **state)
{
	(void)state;
	top_rows_finish(&lines);
	top_view_finish(&view);
	json_decref(picture.document);
	json_decref(picture.memory);
	return 0;
}

static void draw(uint32_t height, uint32_t columns)
{
	top_rows_finish(&lines);
	top_view_draw(&view, &picture, height, columns, &lines);
	assert_int_equal(lines.item.count, height);
}

/* Presses keys and draws after each, as the loop does. */
static void press(const char *keys)
{
	for (; *keys; keys++) {
		assert_true(top_view_key(&view, *keys == '\r' ? TOP_KEY_ENTER : *keys));
		draw(24, 80);
	}
}

static const struct top_row *find(const char *text)
{
	for (uint32_t i = 0; i < lines.item.count; i++)
		if (strstr(lines.item.item[i].text, text))
			return &lines.item.item[i];
	return NULL;
}

static const struct top_row *selected(void)
{
	for (uint32_t i = 0; i < lines.item.count; i++)
		if (lines.item.item[i].selected)
			return &lines.item.item[i];
	return NULL;
}

static void says_what_is(void **state)
{
	(void)state;
	draw(24, 120);
	assert_non_null(find("python3 train.py, 60 s old, /tmp/s"));
	assert_non_null(find(
		"1 error, 0 warnings, 1 note; 41 processes, 41 threads: 0 run, 41 wait (1 forever)"));
	assert_non_null(find("/dev/shm: 512 MiB of 1 GiB free"));
	assert_int_equal(find("waits forever (50 s) for one, at f (a.c:1)")->style, TOP_ERROR);
	assert_non_null(find("4 KiB shared memory"));
	assert_string_equal(lines.item.item[21].text, "30 s ago: note: hang: the second");
	assert_string_equal(lines.item.item[22].text, "40 s ago: error: hang: the first");
}

static void never_wider(void **state)
{
	static const enum top_page pages[] = {TOP_TREE, TOP_THREADS, TOP_FINDINGS, TOP_MEMORY,
					      TOP_HELP};

	(void)state;
	for (uint32_t height = 1; height < 45; height += 3)
		for (uint32_t columns = 1; columns < 130; columns += 8)
			for (size_t page = 0; page < sizeof(pages) / sizeof(*pages); page++) {
				view.place[0].page = pages[page];
				draw(height, columns);
				for (uint32_t i = 0; i < height; i++) {
					wchar_t wide[256];
					size_t count = mbstowcs(wide, lines.item.item[i].text, 256);

					assert_true(count < 256);
					assert_in_range(wcswidth(wide, count), 0, columns);
				}
			}
}

static void moves_and_opens(void **state)
{
	(void)state;
	draw(24, 80);
	assert_non_null(strstr(selected()->text, "100 python3 train.py"));
	press("jj");
	assert_non_null(strstr(selected()->text, "101 python3 worker"));
	press("k");
	assert_non_null(strstr(selected()->text, "main thread waits forever"));
	press("\r");
	assert_non_null(find("process 100, TID 100, waiting"));
	assert_non_null(find("#0 f a.c:1"));
	press("\033");
	assert_non_null(strstr(selected()->text, "main thread waits forever"));
	top_view_key(&view, TOP_KEY_END);
	draw(24, 80);
	assert_non_null(selected());
	assert_true(selected() == &lines.item.item[20]);
	top_view_key(&view, TOP_KEY_HOME);
	draw(24, 80);
	assert_true(selected() == &lines.item.item[4]);
	assert_false(top_view_key(&view, 'q'));
}

/* Rows come and go above it: the cursor stays with what it was on. */
static void cursor_stays_with_its_row(void **state)
{
	(void)state;
	draw(24, 80);
	press("tjjj");
	assert_non_null(strstr(selected()->text, "138 "));
	json_array_append_new(
		json_object_get(picture.document, "processes"),
		process_json(200, 100, "late", thread_json(200, "old", "lock", 11 * SECOND, true)));
	draw(24, 80);
	assert_non_null(strstr(selected()->text, "138 "));
	json_array_clear(json_object_get(picture.document, "processes"));
	draw(24, 80);
	assert_non_null(find("none so far"));
}

static void sorts_threads(void **state)
{
	(void)state;
	press("t");
	assert_non_null(strstr(lines.item.item[4].text, "100 main thread waits forever"));
	assert_non_null(strstr(lines.item.item[5].text, "140 thread \"even\""));
	press("s");
	assert_non_null(find("threads by name"));
	assert_non_null(strstr(lines.item.item[4].text, "102 thread \"even\""));
}

static void filters(void **state)
{
	(void)state;
	press("t/LOCK-17\r");
	assert_non_null(find("1-1 of 1"));
	assert_non_null(find("117 thread"));
	press("/");
	top_view_key(&view, TOP_KEY_ERASE);
	draw(24, 80);
	assert_non_null(find("1-11 of 11"));
	press("\033");
	assert_non_null(find("of 41"));
}

static void scrolls_aside(void **state)
{
	(void)state;
	top_view_key(&view, TOP_KEY_RIGHT);
	draw(24, 40);
	assert_null(find("100 python3 train.py, "));
	top_view_key(&view, TOP_KEY_LEFT);
	draw(24, 40);
	assert_non_null(find("100 python3 train.py, "));
}

static void says_its_state(void **state)
{
	(void)state;
	press("p");
	assert_non_null(find("mpsan top: PAUSED; "));
	picture.state = TOP_ENDED;
	draw(24, 80);
	assert_int_equal(find("ENDED: last state; ")->style, TOP_WARNING);
}

static void gone_detail(void **state)
{
	(void)state;
	draw(24, 80);
	press("tj\r");
	json_array_clear(json_object_get(picture.document, "processes"));
	draw(24, 80);
	assert_non_null(find("No longer exists"));
}

static void check_plain(const char *text, const char *want)
{
	char *plain = top_plain(text);

	assert_string_equal(plain, want);
	free(plain);
}

static void makes_text_plain(void **state)
{
	char *clipped;

	(void)state;
	check_plain("a\033[2J\tb\x7f", "a [2J b ");
	check_plain("\xff\xc3(\xe2\x82 \xc0\xaf\xed\xa0\x80\xf5\x80\x80\x80", "?\?(?\? ?????????");
	check_plain("x\xc2\x9b"
		    "31m\xe2\x80\xae"
		    "e\xcc\x81",
		    "x 31me");
	check_plain("\xe4\xb8\xad", "\xe4\xb8\xad");
	clipped = top_clip("a\xe4\xb8\xad\xe4\xb8\xad"
			   "b",
			   0, 5);
	assert_string_equal(clipped, "a\xe4\xb8\xad…");
	free(clipped);
	clipped = top_clip("ab", 0, 2);
	assert_string_equal(clipped, "ab");
	free(clipped);
	assert_int_equal(top_break("one two three", 8), 7);
	assert_int_equal(top_break("onetwothree", 8), 8);
	assert_int_equal(top_break("\xe4\xb8\xad", 1), 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(says_what_is),    TEST(never_wider),
		TEST(moves_and_opens), TEST(cursor_stays_with_its_row),
		TEST(sorts_threads),   TEST(filters),
		TEST(scrolls_aside),   TEST(says_its_state),
		TEST(gone_detail),     TEST(makes_text_plain),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
