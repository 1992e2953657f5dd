/*
 * From findings to reports: grades, policies, suppressions, folding, and the two formats. Neighbours: log_writer.h,
 * tools/findings/judge.h, tools/formats/formats.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/findings/judge.h"
#include "../../tools/formats/formats.h"
#include "log_writer.h"

#define SECOND 1000000000ull

static struct log_writer writer;
static struct grades grades;
static struct suppressions suppressions;

static int begin(void **state)
{
	(void)state;
	writer_create(&writer);
	grades_init(&grades);
	return 0;
}

static int end(void **state)
{
	(void)state;
	suppressions_finish(&suppressions);
	writer_destroy(&writer);
	return 0;
}

/* A process with three threads forks at second `at`; another thread holds the lock named `name`. */
static void write_fork(uint32_t child, uint64_t at, const char *name)
{
	uint64_t python =
		writer_text(&writer, 0, at, "start\t/x/app.py\t3\n<module>\t/x/app.py\t9\n");
	uint32_t main_thread = writer.table[0].pid;
	uint64_t fork = WRITE(&writer, 0, fork, at, main_thread, .how = MPSAN_HOW_FORK,
			      .threads = 3, .held = 1, .python = python);

	WRITE(&writer, 0, lock_name, at, 101, .lock = 0x1000,
	      .name = writer_text(&writer, 0, at, name));
	WRITE(&writer, 0, held, at, main_thread, .fork = fork, .lock = 0x1000,
	      .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED, .holder = 101);
	writer_process(&writer, child, 0, at)->fork_pos = fork;
}

static json_t *judge(void)
{
	struct report_exit exit = {0, 0};
	json_t *document = report_create(NULL, &exit);
	struct reader reader;
	struct judge judge;

	assert_null(reader_open(&reader, writer.dir, false));
	judge_init(&judge, &reader, &grades, &suppressions);
	reader_finish(&reader, 100 * SECOND);
	judge_triggers(&judge);
	report_add(document, &judge);
	judge_finish(&judge);
	reader_close(&reader);
	return document;
}

/* The only finding of a rule, NULL when there is none. */
static json_t *find(const json_t *document, const char *slug)
{
	json_t *finding, *found = NULL;
	size_t i;

	json_array_foreach(json_object_get(document, "findings"), i, finding) {
		if (strcmp(json_string_value(json_object_get(finding, "rule")), slug))
			continue;
		assert_null(found);
		found = finding;
	}
	return found;
}

static void assert_severity(const char *slug, const char *severity)
{
	json_t *document = judge(), *finding = find(document, slug);

	if (severity) {
		assert_non_null(finding);
		assert_string_equal(json_string_value(json_object_get(finding, "severity")),
				    severity);
	} else {
		assert_null(finding);
	}
	json_decref(document);
}

static void repeats_are_counted_and_keep_their_fingerprint(void **state)
{
	json_t *once, *twice;

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	write_fork(1, 10 * SECOND, "guard");
	once = judge();
	write_fork(2, 20 * SECOND, "guard");
	twice = judge();
	assert_int_equal(json_integer_value(json_object_get(find(once, "fork-threads"), "count")),
			 1);
	assert_int_equal(json_integer_value(json_object_get(find(twice, "fork-threads"), "count")),
			 2);
	assert_true(json_equal(json_object_get(find(once, "fork-threads"), "fingerprint"),
			       json_object_get(find(twice, "fork-threads"), "fingerprint")));
	json_decref(once);
	json_decref(twice);
}

static struct finding finding_of_wait(enum grade grade)
{
	static const struct message_text message_text = {"{pid} waits", {{STEP_WAIT, "it waits"}}};

	return (struct finding){.rule = RULE_fork_libc_lock,
				.grade = grade,
				.message_text = &message_text,
				.fork = 1,
				.held = 1,
				.wait = 1};
}

/* A wait that is a note until the supervisor has looked, and then an error, is one finding, whichever is told first. */
static void a_proof_takes_the_place_of_its_own_note(void **state)
{
	static const enum grade order[][2] = {{GRADE_NOTE, GRADE_ERROR}, {GRADE_ERROR, GRADE_NOTE}};

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	write_fork(1, 10 * SECOND, "guard");
	WRITE(&writer, 1, wait, 11 * SECOND, writer.table[1].pid, .lock = 0x1000,
	      .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED);
	for (int i = 0; i < 2; i++) {
		struct reader reader;
		struct judge judge;

		assert_null(reader_open(&reader, writer.dir, false));
		judge_init(&judge, &reader, &grades, &suppressions);
		reader_finish(&reader, 100 * SECOND);
		for (int k = 0; k < 2; k++) {
			struct finding finding = finding_of_wait(order[i][k]);

			judge.sink.add(&judge.sink, &finding);
		}
		assert_int_equal(judge.found.count, 1);
		assert_int_equal(judge.found.item[0].count, 1);
		assert_int_equal(judge.found.item[0].grade, GRADE_ERROR);
		judge_finish(&judge);
		reader_close(&reader);
	}
}

static void two_locks_are_two_findings(void **state)
{
	json_t *document;
	unsigned count = 0;
	json_t *finding;
	size_t i;

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	write_fork(1, 10 * SECOND, "guard");
	write_fork(2, 20 * SECOND, "another");
	document = judge();
	json_array_foreach(json_object_get(document, "findings"), i, finding)
		count += !strcmp(json_string_value(json_object_get(finding, "rule")),
				 "fork-lock-held");
	assert_int_equal(count, 2);
	json_decref(document);
}

static void grades_follow_policy_and_rule(void **state)
{
	char *wrong;

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	write_fork(1, 10 * SECOND, "guard");
	assert_severity("fork-threads", "note");
	assert_severity("fork-lock-held", "warning");
	assert_null(grades_rule(&grades, "fork-lock-held=error"));
	assert_severity("fork-lock-held", "error");
	assert_null(grades_rule(&grades, "fork-lock-held=off"));
	assert_severity("fork-lock-held", NULL);
	assert_null(grades_policy(&grades, "ci"));
	assert_severity("fork-threads", NULL);
	wrong = grades_rule(&grades, "no-such-rule=off");
	assert_non_null(strstr(wrong, "no-such-rule"));
	free(wrong);
	wrong = grades_policy(&grades, "loud");
	assert_non_null(strstr(wrong, "loud"));
	free(wrong);
}

static void strict_raises_the_start_method(void **state)
{
	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	writer_process(&writer, 1, 0, 10 * SECOND)->fork_pos =
		WRITE(&writer, 0, fork, 10 * SECOND, 100, .how = MPSAN_HOW_FORK, .threads = 1,
		      .flags = MPSAN_FORK_TORCH);
	assert_severity("fork-start-method", "note");
	assert_null(grades_policy(&grades, "strict"));
	assert_severity("fork-start-method", "warning");
}

static void a_rule_of_its_own_holds_under_any_policy(void **state)
{
	const struct finding note = {.rule = RULE_fork_threads, .grade = GRADE_NOTE};
	const struct finding proof = {.rule = RULE_child_not_joined, .grade = GRADE_ERROR};

	(void)state;
	assert_null(grades_rule(&grades, "fork-threads=note"));
	assert_null(grades_policy(&grades, "strict"));
	assert_int_equal(grades_apply(&grades, &note), GRADE_NOTE);
	assert_int_equal(grades_apply(&grades, &proof), GRADE_ERROR); /* raised, never lowered */
	assert_true(grades_asks(&grades, RULE_lock_order_inversion));
	assert_null(grades_policy(&grades, "quiet"));
	assert_null(grades_policy(&grades, "default"));
	assert_false(grades_asks(&grades, RULE_lock_order_inversion));
	assert_int_equal(grades.floor, GRADE_NOTE); /* of several policies the last one */
}

static void no_policy_makes_an_error(void **state)
{
	(void)state;
	for (const struct policy_grade *row = policy_rows; row->policy; row++)
		assert_true(row->rule == RULE_COUNT || row->grade < GRADE_ERROR);
}

static void suppress(const char *slug, const char *pattern)
{
	struct suppression *line = ARRAY_ADD(&suppressions.line);

	*line = (struct suppression){.slug = text_copy(slug), .pattern = text_copy(pattern)};
}

static void suppressions_match_names_of_all_kinds(void **state)
{
	static const char *const fitting[] = {"guard", "start", "app.py:start", "*module*"};

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	write_fork(1, 10 * SECOND, "guard");
	for (size_t i = 0; i < sizeof(fitting) / sizeof(*fitting); i++) {
		suppress("fork-lock-held", fitting[i]);
		assert_severity("fork-lock-held", NULL);
		assert_severity("fork-threads", "note");
		suppressions_finish(&suppressions);
	}
	suppress("*", "nothing");
	assert_severity("fork-lock-held", "warning");
}

static void the_suppressed_are_counted_among_the_limits(void **state)
{
	json_t *document;

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	write_fork(1, 10 * SECOND, "guard");
	suppress("*", "*");
	document = judge();
	assert_int_equal(json_array_size(json_object_get(document, "findings")), 0);
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(document, "limits"), 0)),
		"findings suppressed: 2");
	json_decref(document);
}

static void python_locks_that_libc_never_sees_are_a_limit(void **state)
{
	static const uint32_t version[] = {0x030d00f0, 0x030d01f0, 0x030e0af0, 0x030e0af0};
	json_t *document, *limits;

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	for (uint32_t i = 0; i < 4; i++)
		writer_process(&writer, 1 + i, 0, SECOND)->python = version[i];
	document = judge();
	limits = json_object_get(document, "limits");
	assert_int_equal(json_array_size(limits), 2);
	assert_non_null(strstr(json_string_value(json_array_get(limits, 0)), "(3.13.1)"));
	assert_non_null(strstr(json_string_value(json_array_get(limits, 1)), "(3.14.10)"));
	json_decref(document);
}

static void names_that_are_no_utf8_are_shown_all_the_same(void **state)
{
	json_t *document;

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	write_fork(1, 10 * SECOND,
		   "gu\xff"
		   "rd");
	document = judge();
	assert_non_null(strstr(
		json_string_value(json_object_get(find(document, "fork-lock-held"), "message")),
		"gu?rd"));
	json_decref(document);
}

static char *render(void (*write)(FILE *, const struct report *), json_t *document)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	write(out, &(struct report){.document = document});
	fclose(out);
	return text;
}

static void text_and_json_tell_the_same(void **state)
{
	json_t *document, *again;
	char *text, *json;

	(void)state;
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	write_fork(1, 10 * SECOND, "guard");
	document = judge();
	text = render(out_text, document);
	json = render(out_json, document);
	again = json_loads(json, 0, NULL);
	assert_true(json_equal(document, again));
	assert_non_null(strstr(text, "mpsan: warning: fork-lock-held: "));
	assert_non_null(strstr(text, "#0 start /x/app.py:3\n"));
	assert_non_null(strstr(text, "  fix: "));
	assert_non_null(strstr(text, json_string_value(json_object_get(
					     find(document, "fork-lock-held"), "fingerprint"))));
	assert_non_null(strstr(text, "mpsan: 0 errors, 1 warning, 1 note in 2 processes\n"));
	assert_null(strchr(text, '\033'));
	free(text);
	free(json);
	json_decref(again);
	json_decref(document);
}

static void a_report_file_appears_whole_or_not_at_all(void **state)
{
	struct report_target target;
	json_t *document = judge(), *again;
	char *path = text_format("json=%s/report.json", writer.dir), *wrong;

	(void)state;
	assert_null(report_target_parse(&target, path));
	assert_null(report_write(&target, &(struct report){.document = document}));
	again = json_load_file(target.file, 0, NULL);
	assert_true(json_equal(document, again));
	assert_null(report_target_parse(&target, "json=/nowhere/at/all.json"));
	wrong = report_write(&target, &(struct report){.document = document});
	assert_non_null(strstr(wrong, "/nowhere/at/all.json"));
	free(wrong);
	wrong = report_target_parse(&target, "yaml=x");
	assert_non_null(strstr(wrong, "yaml=x"));
	free(wrong);
	free(path);
	json_decref(again);
	json_decref(document);
}

#define STORY(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(repeats_are_counted_and_keep_their_fingerprint),
		STORY(a_proof_takes_the_place_of_its_own_note),
		STORY(two_locks_are_two_findings),
		STORY(grades_follow_policy_and_rule),
		STORY(a_rule_of_its_own_holds_under_any_policy),
		STORY(no_policy_makes_an_error),
		STORY(strict_raises_the_start_method),
		STORY(suppressions_match_names_of_all_kinds),
		STORY(the_suppressed_are_counted_among_the_limits),
		STORY(python_locks_that_libc_never_sees_are_a_limit),
		STORY(names_that_are_no_utf8_are_shown_all_the_same),
		STORY(text_and_json_tell_the_same),
		STORY(a_report_file_appears_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
