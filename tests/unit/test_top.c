/*
 * What `mpsan top` draws and what its keys mean, without a terminal: what a look has found in, lines out. Neighbour: tools/top/top.h.
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

static struct ps_thread thread_of(uint32_t tid, const char *name, const char *lock,
				  long long since_ns, bool for_ever)
{
	return (struct ps_thread){.tid = tid,
				  .name = text_copy(name),
				  .state = PS_WAITING,
				  .waits = {.kind = "mutex",
					    .lock = 0x1000,
					    .name = text_copy(lock),
					    .text = text_copy(lock),
					    .since_ns = since_ns,
					    .for_ever = for_ever},
				  .at = text_copy("f (a.c:1)"),
				  .stack = json_pack("[{s:s, s:s, s:i, s:s, s:i}]", "function", "f",
						     "module", "/bin/a", "offset", 16, "file",
						     "a.c", "line", 1)};
}

static void add_process(uint32_t pid, uint32_t parent, const char *word, struct ps_thread thread)
{
	struct ps_process *process = ARRAY_ADD(&picture.found->processes);

	*process = (struct ps_process){.pid = pid,
				       .parent = parent,
				       .command = text_format("python3 %s", word),
				       .line = text_format("python3 %s", word),
				       .how = parent ? "fork" : "root",
				       .start_ns = 10 * SECOND,
				       .shm_bytes = 4096};
	*ARRAY_ADD(&process->threads) = thread;
}

static void add_finding(enum grade grade, const char *message, long long time_ns)
{
	*ARRAY_ADD(&picture.found->findings) =
		(struct ps_finding){grade, text_copy(message),
				    json_pack("{s:s, s:s, s:I}", "rule", "hang", "fingerprint",
					      message, "time_ns", (json_int_t)time_ns)};
}

static void forget_processes(void)
{
	struct ps_picture *old = picture.found;

	picture.found = memory_get(sizeof(*old));
	picture.found->session = text_copy(old->session);
	picture.found->now_ns = old->now_ns;
	ps_picture_free(old);
}

static int begin(void **state)
{
	(void)state;
	picture = (struct top_picture){
		.found = memory_get(sizeof(*picture.found)),
		.memory = json_pack("{s:[], s:{s:i, s:i}}", "segments", "made", "segments", 0,
				    "bytes", 0),
		.shm_bytes = 1 << 30,
		.shm_free = 1 << 29,
	};
	*picture.found = (struct ps_picture){
		.session = text_copy("/tmp/s"), .live = true, .now_ns = 70 * SECOND};
	add_process(100, 0, "train.py", thread_of(100, "main thread", "one", 20 * SECOND, true));
	for (uint32_t i = 1; i <= WORKERS; i++) {
		char lock[16];

		snprintf(lock, sizeof(lock), "lock-%u", i);
		add_process(
			100 + i, 100, "worker",
			thread_of(100 + i, i % 2 ? "odd" : "even", lock, (60 - i) * SECOND, false));
	}
	add_finding(GRADE_ERROR, "the first", 30 * SECOND);
	add_finding(GRADE_NOTE, "the second", 40 * SECOND);
	top_view_init(&view);
	return 0;
}

static int end(void **state)
{
	(void)state;
	top_rows_finish(&lines);
	top_view_finish(&view);
	ps_picture_free(picture.found);
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
	add_process(200, 100, "late", thread_of(200, "old", "lock", 11 * SECOND, true));
	draw(24, 80);
	assert_non_null(strstr(selected()->text, "138 "));
	forget_processes();
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
	forget_processes();
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
