/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan run: creates a session, starts the program in it, follows it, writes the reports, and sets
 * the exit status. Neighbours: launch.h, watch.h, report.h.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/jsontext.h"
#include "../base/limit.h"
#include "../doctor/binary.h"
#include "../proc/descriptors.h"
#include "../reader/host.h"
#include "../report/practices.h"
#include "../supervise/launch.h"
#include "../supervise/program_state.h"
#include "../supervise/rescue.h"
#include "../supervise/watch.h"
#include "../symbols/pyview.h"
#include "again.h"
#include "command.h"
#include "gate.h"
#include "offline.h"
#include "options.h"

static bool is_text(const struct report_target *target)
{
	return target->format->write == out_text;
}

/*
 * Whether text goes to standard error, the default: findings are printed there as they are proven
 * and the rest follows at the end. Removes that target from the reports, so that no finding is
 * printed twice.
 */
static bool take_terminal(struct settings *settings)
{
	struct report_target *item = settings->reports.item;
	uint32_t count = settings->reports.count, kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!is_text(&item[i]) || strcmp(item[i].file, "stderr"))
			item[kept++] = item[i];
	settings->reports.count = kept;
	return kept < count || !count;
}

static bool is_text_elsewhere(const struct settings *settings)
{
	for (uint32_t i = 0; i < settings->reports.count; i++)
		if (is_text(&settings->reports.item[i]))
			return true;
	return false;
}

static json_t *command_json(char **argv)
{
	json_t *command = json_array();

	for (; *argv; argv++)
		json_array_append_new(command, jsontext_of(*argv));
	return command;
}

static bool is_on_noexec(const char *library)
{
	struct statvfs st;

	return library && !statvfs(library, &st) && st.f_flag & ST_NOEXEC;
}

/* A program that never loaded the library has no slot: says why in `limits`. */
static void add_unwatched(json_t *document, const struct watch *watch, const struct binary *binary,
			  const char *library)
{
	const struct reader *reader = watch->judge->reader;
	const char *obstacle = binary_obstacle(binary);

	READER_EACH_SLOT(reader, slot)
		if (reader->session.table[slot].pid == (uint32_t)watch->child)
			return;
	report_limit(document, "%s was not watched: %s",
		     binary->path ? binary->path : "the program",
		     obstacle		   ? obstacle :
		     is_on_noexec(library) ? "libmpsan.so is on a file system mounted "
					     "noexec; install mpsan on another one" :
					     "the library was not loaded, for an unknown "
					     "reason");
}

static void add_hushed(json_t *document, const struct judged *reason)
{
	AUTO_FREE char *by = judged_hushed_by(reason);

	report_limit(document,
		     "mpsan killed the program after a proof of %s (--on-deadlock), although %s",
		     rule_slug(reason->rule), by);
}

/*
 * Errors were already printed when they were found: prints what became of them, the other findings,
 * and the summary.
 */
static void write_rest(const struct judge *judge, const json_t *document,
		       const struct text_view *view)
{
	for (int grade = GRADE_ERROR; grade > GRADE_NOTE; grade--)
		for (uint32_t i = 0; i < judge->found.count; i++) {
			const struct judged *judged = &judge->found.item[i];

			if (!judged->count || judged->known || (int)judged->grade != grade)
				continue;
			if (judged->shown)
				out_text_outcome(stderr, judged->json);
			else
				out_text_finding(stderr, judged->json, view);
		}
	out_text_notes(stderr, document, view);
	practices_print(stderr, document, view->practices);
	out_text_summary(stderr, document);
}

/* `failed`: 0, or the status for a report that could not be written; that outranks the findings. */
static int exit_status(const struct settings *settings, const struct watch *watch, int failed)
{
	int own = watch_status(watch);

	if (own)
		return own;
	if (failed)
		return failed;
	if (!settings->write_baseline && settings->fail_on != GRADE_OFF &&
	    judge_worst(watch->judge) >= settings->fail_on)
		return settings->exit_code;
	return 0;
}

static int report(struct settings *settings, const struct watch *watch, char **argv,
		  const struct binary *binary, const char *library)
{
	struct report_exit end = {.code = -1};
	json_auto_t *command = command_json(argv);
	struct report made = {0};
	int status, unwritten = 0;

	if (WIFSIGNALED(watch->status))
		end.signal = WTERMSIG(watch->status);
	else
		end.code = WEXITSTATUS(watch->status);
	made.document = report_create(command, &end);
	offline_add(settings, watch->judge, &end, &made);
	add_unwatched(made.document, watch, binary, library);
	if (watch->deadlocks.log.failed)
		report_limit(
			made.document,
			"some waits that the supervisor observed were not recorded (its log failed: disk full, "
			"resource limit, or not a regular file)");
	if (watch->hushed)
		add_hushed(made.document, &watch->judge->hushed_wait);
	status = gate(settings, made.document);
	if (settings->reports.count)
		unwritten = offline_write(settings, &made);
	if (watch->terminal)
		write_rest(watch->judge, made.document, &settings->view);
	report_finish(&made);
	return status ? status : unwritten;
}

/* The library's settings: those given, and those that the enabled rules need. */
static char *library_options(const struct settings *settings)
{
	const char *given = settings->for_library;
	bool order = grades_asks(&settings->grades, RULE_lock_order_inversion);
	AUTO_FREE char *calls = filtered_for_library();

	return text_format("join=only%s%s%s%s%s", order ? ":lock-order=yes" : "", calls ? ":" : "",
			   calls ? calls : "", given ? ":" : "", given ? given : "");
}

/* Removes the session, runs the program unwatched, and does not return. */
static _Noreturn void give_up(struct launch *launch, const char *why)
{
	launch_finish(launch);
	rescue(why);
}

/* The logs of a session leave half of the file system to others. */
static uint64_t room_for_logs(const struct settings *settings, const char *dir)
{
	struct statvfs st;
	uint64_t half = UINT64_MAX;

	if (!statvfs(dir, &st))
		half = (uint64_t)st.f_bavail * st.f_frsize / 2;
	half = half > MPSAN_CHUNK ? half : MPSAN_CHUNK;
	return half < settings->log_total ? half : settings->log_total;
}

/* As a shell says it: no permission is missing to execute a directory. */
static const char *start_error(const char *program, int error)
{
	struct stat st;

	return strerror(error == EACCES && !stat(program, &st) && S_ISDIR(st.st_mode) ? EISDIR :
											error);
}

/*
 * Signals from the terminal reach the program directly; signals sent to mpsan alone are forwarded.
 */
static int cmd_run_start(const struct settings *settings, struct watch *watch,
			 struct launch *launch, const struct binary *binary, char **argv)
{
	struct mpsan_session *head = watch->judge->reader->session.head;
	struct launch_variable variables[LAUNCH_VARIABLES];
	AUTO_FREE char *options = library_options(settings), *dir = host_literal(launch->dir);

	snprintf(head->options, sizeof(head->options), "%s", options);
	head->logs_max = room_for_logs(settings, launch->dir);
	launch_environment(launch->library, dir, options, binary->has_asan, variables);
	watch->child = rescue_start(variables, launch->is_private ? launch->dir : NULL);
	for (int i = 0; variables[i].name; i++)
		free(variables[i].value);
	if (!watch->child) {
		int status = launch_status(errno);
		bool tight = status == STATUS_BROKEN;
		char *why = text_format("%s: %s", tight ? "cannot start a process" : argv[0],
					start_error(argv[0], errno));

		if (tight)
			give_up(launch, why);
		complain_text(why);
		return status;
	}
	program_state_started();
	return 0;
}

static int run_session(struct settings *settings, struct launch *launch, char **argv)
{
	struct reader reader;
	struct judge judge;
	struct watch watch = {.judge = &judge,
			      .on_deadlock = settings->on_deadlock,
			      .kill_status = settings->exit_code,
			      .hang_after = settings->hang_after,
			      .forks_only = settings->forks_only,
			      .view = settings->view,
			      .terminal = take_terminal(settings)};
	struct binary binary;
	struct again again;
	char *wrong = reader_open(&reader, launch->dir, true);
	int status, failed;

	if (wrong)
		give_up(launch, wrong);
	pyview_tells(settings->exceptions);
	judge_init(&judge, &reader, &settings->grades, &settings->suppressions);
	judge.baseline = &settings->baseline;
	watch.print = watch.terminal || !is_text_elsewhere(settings);
	binary_inspect(&binary, argv[0]);
	again_prepare(&again, settings, argv - settings->rest, launch->dir, watch.terminal);
	watch.interim = (struct interim){.command = again.files,
					 .with_text = again.all,
					 .file = again.name,
					 .dir = launch->dir};
	rescue_reports(reader.session.head, again.all	? again.all :
					    *again.name ? again.files :
							  NULL);
	status = cmd_run_start(settings, &watch, launch, &binary, argv);
	if (!status) {
		setvbuf(stderr, NULL, _IOFBF, 1 << 16); /* print each finding in one write */
		watch_run(&watch);
		failed = report(settings, &watch, argv, &binary, launch->library);
		status = exit_status(settings, &watch, failed);
	}
	rescue_reports(NULL, NULL);
	again_finish(&again);
	binary_finish(&binary);
	judge_finish(&judge);
	reader_close(&reader);
	return status;
}

static int run(struct settings *settings, char **argv)
{
	const char *missed = filtered_try();
	struct launch launch;
	char *wrong;
	int status;

	if (missed) {
		wrong = text_format(
			"a seccomp filter forbids system calls that mpsan needs, such as %s",
			missed);
		rescue_at_once(argv, wrong);
	}
	program_state_take();
	rescue_prepare(argv);
	if (!descriptors_suffice())
		rescue(DESCRIPTORS_TOO_FEW);
	wrong = launch_prepare(&launch, settings->dir, settings->for_library);
	if (wrong && launch.is_tight)
		give_up(&launch, wrong);
	status = wrong ? complain_text(wrong) : run_session(settings, &launch, argv);
	launch_finish(&launch);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct settings settings;
	int status = options_parse(&settings, OPT_RUN, usage_run, argc, argv);

	if (!status && settings.rest >= argc)
		status = complain(
			"run: missing command; usage: mpsan run [options] -- COMMAND [ARG...]");
	if (!status)
		status = offline_check(&settings);
	if (!status)
		status = run(&settings, argv + settings.rest);
	options_finish(&settings);
	return status == OPTIONS_HELP ? 0 : status;
}
