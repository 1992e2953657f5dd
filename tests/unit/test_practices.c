/*
 * The list of practices that closes a report: kept, violated, not observable. Neighbours: log_writer.h,
 * tools/report/practices.h.
 */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>

#include "../../tools/formats/formats.h"
#include "../../tools/report/practices.h"
#include "log_writer.h"

#define SECOND 1000000000ull
#define NO_LOCK_AT_FORK "no thread holds a lock when the process forks"
#define NO_IMPORT_AT_FORK "no thread imports a module when the process forks"
#define CUDA_CHILDREN "CUDA in child processes requires the start method spawn or forkserver"
#define JOIN_ALL "join every process that you start"
#define HANDLE_ERRORS "handle errors in workers: no silent failures"
#define COLLECT_FIRST "drain result queues before join()"
#define SENTINELS "send every worker a sentinel to stop it"
#define LOCKED_WRITES "processes that write to a shared tensor use a lock, or rows of their own"

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

static void end_process(uint32_t slot, enum mpsan_end end, int value)
{
	writer.table[slot].end = (uint16_t)end;
	writer.table[slot].end_value = value;
	writer.table[slot].end_ns = (90 - slot) * SECOND;
	writer.table[slot].flags |= MPSAN_PROCESS_REAPED;
}

/* A process with three threads forks while another thread holds a lock; both end well. */
static void write_session(uint32_t python)
{
	uint64_t fork;

	writer_process(&writer, 0, UINT32_MAX, SECOND)->python = python;
	writer.session->supervisor = 1;
	fork = WRITE(&writer, 0, fork, 10 * SECOND, writer.table[0].pid, .how = MPSAN_HOW_FORK,
		     .threads = 3, .held = 1);
	WRITE(&writer, 0, held, 10 * SECOND, writer.table[0].pid, .fork = fork, .lock = 0x1000,
	      .kind = MPSAN_LOCK_MUTEX, .flags = MPSAN_LF_VERIFIED, .holder = 101);
	writer_process(&writer, 1, 0, 10 * SECOND)->fork_pos = fork;
	end_process(0, MPSAN_END_EXIT, 0);
	end_process(1, MPSAN_END_EXIT, 0);
}

static void add_session(json_t *document)
{
	struct reader reader;
	struct judge judge;

	assert_null(reader_open(&reader, writer.dir, false));
	judge_init(&judge, &reader, &grades, &suppressions);
	reader_finish(&reader, 100 * SECOND);
	judge_triggers(&judge);
	report_add(document, &judge);
	practices_add(document, &judge);
	judge_finish(&judge);
	reader_close(&reader);
}

static json_t *report(void)
{
	json_t *document = report_create(NULL, &(struct report_exit){0, 0});

	add_session(document);
	return document;
}

static json_t *find(const json_t *document, const char *statement)
{
	json_t *practice;
	size_t i;

	json_array_foreach(json_object_get(document, "practices"), i, practice)
		if (!strcmp(json_string_value(json_object_get(practice, "statement")), statement))
			return practice;
	fail_msg("no practice: %s", statement);
	return NULL;
}

static void assert_status(const json_t *document, const char *statement, const char *status)
{
	assert_string_equal(json_string_value(json_object_get(find(document, statement), "status")),
			    status);
}

static void suppress(const char *slug, const char *pattern)
{
	struct suppression *line = ARRAY_ADD(&suppressions.line);

	*line = (struct suppression){.slug = text_copy(slug), .pattern = text_copy(pattern)};
}

static void a_finding_violates_its_practice_and_no_other(void **state)
{
	json_t *document, *prints;

	(void)state;
	write_session(0x030b02f0);
	document = report();
	assert_status(document, NO_LOCK_AT_FORK, "violated");
	assert_status(document, NO_IMPORT_AT_FORK, "kept");
	prints = json_object_get(find(document, NO_LOCK_AT_FORK), "findings");
	assert_int_equal(json_array_size(prints), 1);
	json_decref(document);
}

static void what_a_run_did_not_do_is_not_observable(void **state)
{
	json_t *document;

	(void)state;
	write_session(0x030b02f0);
	document = report();
	assert_status(document, CUDA_CHILDREN, "not observable");
	json_decref(document);
	WRITE(&writer, 0, cuda_init, 11 * SECOND, writer.table[0].pid, .caller = 1);
	document = report();
	assert_status(document, CUDA_CHILDREN, "kept");
	json_decref(document);
}

static void assert_why(const json_t *document, const char *statement, const char *why)
{
	const char *said = json_string_value(json_object_get(find(document, statement), "why"));

	assert_status(document, statement, "not observable");
	if (!said || !strstr(said, why))
		fail_msg("'%s' is not in '%s'", why, said ? said : "");
}

/* What would have come is not known: of nothing, whatever the run did until then. */
static void a_run_that_was_cut_off_keeps_nothing(void **state)
{
	json_t *document;

	(void)state;
	write_session(0x030b02f0);
	document = report();
	assert_status(document, NO_IMPORT_AT_FORK, "kept");
	assert_status(document, JOIN_ALL, "kept");
	assert_status(document, HANDLE_ERRORS, "kept");
	json_decref(document);
	end_process(0, MPSAN_END_SIGNAL, 15);
	document = report();
	assert_status(document, NO_LOCK_AT_FORK, "violated");
	assert_why(document, NO_IMPORT_AT_FORK, "run incomplete: killed by signal 15");
	assert_why(document, JOIN_ALL, "run incomplete: killed by signal 15");
	json_decref(document);
	end_process(0, MPSAN_END_EXIT, 137);
	document = report();
	assert_why(document, NO_IMPORT_AT_FORK, "run incomplete: killed by signal 9");
	json_decref(document);
	end_process(0, MPSAN_END_NONE, 0);
	document = report();
	assert_why(document, NO_IMPORT_AT_FORK, "the end of the run was not recorded");
	json_decref(document);
}

/* One that crashed, failed, or was still there says nothing of what is about ends, and all of what is not. */
static void a_worker_that_ends_badly_spoils_what_it_is_about(void **state)
{
	json_t *document;

	(void)state;
	write_session(0x030b02f0);
	end_process(1, MPSAN_END_SIGNAL, 11);
	end_process(0, MPSAN_END_EXIT, 3);
	document = report();
	assert_status(document, NO_IMPORT_AT_FORK, "kept");
	assert_why(document, HANDLE_ERRORS, "exited with status 3");
	json_decref(document);
	end_process(0, MPSAN_END_EXIT, 0);
	end_process(1, MPSAN_END_EXIT, 1);
	document = report();
	assert_status(document, NO_IMPORT_AT_FORK, "kept");
	assert_why(document, COLLECT_FIRST, "exited with status 1");
	json_decref(document);
	end_process(1, MPSAN_END_EXIT, 0);
	writer.table[1].flags &= (uint16_t)~MPSAN_PROCESS_REAPED;
	document = report();
	assert_why(document, JOIN_ALL, "not all joins");
	assert_status(document, COLLECT_FIRST, "kept");
	json_decref(document);
}

/* Its parent may end it, which is no sentinel. */
static void a_worker_that_is_ended_was_not_told_to_stop(void **state)
{
	json_t *document;

	(void)state;
	write_session(0x030b02f0);
	end_process(1, MPSAN_END_SIGNAL, 15);
	WRITE(&writer, 0, killed, 80 * SECOND, writer.table[0].pid, .pid = writer.table[1].pid,
	      .signal = 15);
	document = report();
	assert_why(document, SENTINELS, "was killed by signal 15");
	assert_status(document, COLLECT_FIRST, "kept");
	json_decref(document);
}

static void without_a_supervisor_little_is_known_of_waits(void **state)
{
	json_t *document;

	(void)state;
	write_session(0x030b02f0);
	writer.session->supervisor = 0;
	document = report();
	assert_why(document, COLLECT_FIRST, "mpsan run");
	assert_status(document, NO_IMPORT_AT_FORK, "kept");
	json_decref(document);
}

static void without_python_there_is_no_list(void **state)
{
	json_t *document;

	(void)state;
	write_session(0);
	document = report();
	assert_int_equal(json_array_size(json_object_get(document, "practices")), 0);
	json_decref(document);
}

static void what_is_off_or_suppressed_is_not_observable(void **state)
{
	json_t *document;
	char *wrong = grades_rule(&grades, "fork-during-import=off");

	(void)state;
	assert_null(wrong);
	suppress("fork-lock-held", "*");
	write_session(0x030b02f0);
	WRITE(&writer, 0, lock_name, SECOND, 101, .lock = 0x1000,
	      .name = writer_text(&writer, 0, SECOND, "guard"));
	document = report();
	assert_status(document, NO_IMPORT_AT_FORK, "not observable");
	assert_status(document, NO_LOCK_AT_FORK, "not observable");
	assert_status(document, LOCKED_WRITES, "not observable");
	json_decref(document);
}

static void a_later_session_unsays_nothing(void **state)
{
	json_t *document;

	(void)state;
	assert_null(grades_rule(&grades, "fork-during-import=off"));
	write_session(0x030b02f0);
	document = report();
	grades_init(&grades);
	writer_destroy(&writer);
	writer_create(&writer);
	writer_process(&writer, 0, UINT32_MAX, SECOND);
	add_session(document);
	assert_status(document, NO_LOCK_AT_FORK, "violated");
	assert_status(document, NO_IMPORT_AT_FORK, "not observable");
	json_decref(document);
}

static void every_statement_has_rules_or_a_reason(void **state)
{
	json_t *document, *practice;
	size_t i;

	(void)state;
	write_session(0x030b02f0);
	document = report();
	json_array_foreach(json_object_get(document, "practices"), i, practice) {
		const char *why = json_string_value(json_object_get(practice, "why"));

		assert_true(json_array_size(json_object_get(practice, "pages")) > 0);
		assert_true(json_array_size(json_object_get(practice, "rules")) > 0 ||
			    (why && *why));
		assert_false(why && strstr(why, "no such rule"));
	}
	assert_true(i > 30);
	json_decref(document);
}

/* The text report; `all`: with --practices. Owned by the caller. */
static char *text_of(json_t *document, bool all)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	out_text(out, &(struct report){.document = document, .view.practices = all});
	fclose(out);
	return text;
}

static void the_text_lists_what_was_violated(void **state)
{
	json_t *document, *practice;
	char *text, *all;
	size_t i;

	(void)state;
	write_session(0x030b02f0);
	document = report();
	text = text_of(document, false);
	assert_null(strstr(text, NO_LOCK_AT_FORK)); /* without torch it is none of its business */
	free(text);
	json_object_set_new(json_array_get(json_object_get(document, "processes"), 0), "torch",
			    json_true());
	text = text_of(document, false);
	all = text_of(document, true);
	json_array_foreach(json_object_get(document, "practices"), i, practice) {
		const char *statement = json_string_value(json_object_get(practice, "statement"));
		bool violated =
			!strcmp(json_string_value(json_object_get(practice, "status")), "violated");

		assert_non_null(strstr(all, statement));
		assert_true((strstr(text, statement) != NULL) == violated);
	}
	assert_non_null(strstr(text, "  violated        " NO_LOCK_AT_FORK "\n"));
	free(text);
	free(all);
	json_decref(document);
}

#define STORY(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest stories[] = {
		STORY(a_finding_violates_its_practice_and_no_other),
		STORY(what_a_run_did_not_do_is_not_observable),
		STORY(a_run_that_was_cut_off_keeps_nothing),
		STORY(a_worker_that_ends_badly_spoils_what_it_is_about),
		STORY(a_worker_that_is_ended_was_not_told_to_stop),
		STORY(without_a_supervisor_little_is_known_of_waits),
		STORY(without_python_there_is_no_list),
		STORY(what_is_off_or_suppressed_is_not_observable),
		STORY(a_later_session_unsays_nothing),
		STORY(every_statement_has_rules_or_a_reason),
		STORY(the_text_lists_what_was_violated),
	};

	return cmocka_run_group_tests(stories, NULL, NULL);
}
