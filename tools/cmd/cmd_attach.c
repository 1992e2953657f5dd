/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mpsan attach: examines a program that was started without mpsan, and reports. Neighbours: attach.h
 * looks, offline.h writes the report.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../attach/attach.h"
#include "../attach/cores.h"
#include "../attach/rights.h"
#include "../attach/watched.h"
#include "../base/jsontext.h"
#include "../base/limit.h"
#include "../base/line.h"
#include "../base/progress.h"
#include "../formats/plain_text.h"
#include "../ps/ps.h"
#include "../ps/ps_text.h"
#include "../reader/host.h"
#include "../supervise/launch.h"
#include "command.h"
#include "offline.h"
#include "picture.h"

#define LOOK_NS 2300000000ull /* in which an endless wait is proved */
#define LONG_NS 8000000000ull /* one with a limit, or that is renewed again and again */

static int cmd_attach_tell(char *wrong)
{
	complain("attach: %s", wrong);
	free(wrong);
	return STATUS_USAGE;
}

static int add_pid(struct target *target, const char *word, bool whole)
{
	char *end, *wrong;
	unsigned long pid;
	uint32_t process;

	errno = 0;
	pid = strtoul(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno || !pid || pid > INT32_MAX)
		return complain(
			"attach: '%s' is no PID; --name TEXT finds processes by their command line",
			word);
	process = rights_process((uint32_t)pid, &wrong);
	if (wrong)
		return cmd_attach_tell(wrong);
	if (!target_add(target, process, whole))
		return complain("attach: there is no process %lu", pid);
	return 0;
}

static int add_named(struct target *target, const char *name, bool whole)
{
	return target_add_named(target, name, whole) ?
		       0 :
		       complain("attach: no process has '%s' in its command line", name);
}

static int choose_cores(const struct settings *settings, struct target *target, struct cores *cores,
			int argc)
{
	char *wrong;

	if (settings->rest < argc || settings->names.count || settings->tree_only ||
	    settings->watch)
		return complain(
			"attach: --core takes no PID, --name, --tree or --watch: what is in a core file has ended");
	wrong = cores_open(cores, target, settings->cores.item, settings->cores.count,
			   settings->exe);
	return wrong ? cmd_attach_tell(wrong) : 0;
}

static int choose(const struct settings *settings, struct target *target, int argc, char **argv)
{
	int status = 0;

	if (settings->exe)
		return complain("attach: --exe is of use only with --core");
	if (!host_proc_is_own())
		return complain("attach: " HOST_NO_PROC);
	if (settings->rest >= argc && !settings->names.count)
		return complain("attach: missing PID; usage: mpsan attach [options] PID...");
	for (int i = settings->rest; i < argc && !status; i++)
		status = add_pid(target, argv[i], !settings->tree_only);
	for (uint32_t i = 0; i < settings->names.count && !status; i++)
		status = add_named(target, settings->names.item[i], !settings->tree_only);
	return status;
}

/* What the examination is for, and what it found last. */
struct looking {
	uint64_t began_ns;
	uint64_t enough_ns; /* when all is told, if there is a finding; 0: it goes on */
	struct ps_picture *picture;
	char *ended; /* the processes that have ended meanwhile, "" */
	bool shows,
		shown; /* whether the picture of the first look is to be seen at once, and was */
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

/* What nohup has ignored stays so; a script's job ignores SIGINT, but not where it is sent to us. */
static void catch_interrupts(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		if (signal(caught[i], interrupt) == SIG_IGN && caught[i] != SIGINT)
			signal(caught[i], SIG_IGN);
}

/* Each finding once, as soon as it is known: the report may be far away. */
static void say_new(const struct judge *judge)
{
	for (uint32_t i = 0; i < judge->found.count; i++) {
		struct judged *judged = &judge->found.item[i];
		AUTO_FREE char *head = NULL;

		if (judged->told || judged->known || !judged->count ||
		    judged->grade < GRADE_WARNING)
			continue;
		judged->told = true;
		head = plain_head(judged->json);
		fprintf(stderr, "mpsan: %s: %s: %s\n", grade_text(judged->grade),
			rule_slug(judged->rule), head);
	}
}

/* As early before that time as it takes to conclude, but not if there is another look before. */
static bool is_time(const struct attach *attach, const struct deadlocks *deadlocks)
{
	const struct looking *looking = attach->context;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	return now_ns >= looking->enough_ns || (deadlocks->next_ns >= looking->enough_ns &&
						now_ns + attach->took_ns >= looking->enough_ns);
}

/* Who looks at a terminal sees at once what `mpsan ps` would show, and what it still waits for. */
static void show_first(const struct attach *attach, struct deadlocks *deadlocks)
{
	struct ps_picture *picture;
	struct ps ps;

	ps_over(&ps, deadlocks, attach->judge);
	picture = ps_picture(&ps, NULL);
	ps_print_tree(stdout, picture);
	printf("\nmpsan: now looking for a proof, for %llu s at most\n\n", LONG_NS / 1000000000ull);
	fflush(stdout);
	ps_picture_free(picture);
	ps_close(&ps);
}

/* What the program waits for with time limits takes longer to tell, and so do ranks that wait for others. */
static void attach_say(struct attach *attach, struct deadlocks *deadlocks)
{
	struct looking *looking = attach->context;

	if (looking->shows && !looking->shown) {
		show_first(attach, deadlocks);
		looking->shown = true;
	}
	if (!looking->enough_ns)
		say_new(attach->judge);
	if (progress_is_on) {
		progress_phase("examining", LONG_NS);
		progress_advance(clock_ns(CLOCK_MONOTONIC) - looking->began_ns);
	}
	if (interrupted ||
	    (looking->enough_ns && is_time(attach, deadlocks) &&
	     judge_worst(attach->judge) >= GRADE_WARNING && !ranks_are_open(&deadlocks->ranks)))
		attach->until_ns = 0;
}

#define ENDED_NAMED 3u

/* "process 12 (sleep 4) ended while it was looked at": what it waited for in the end nobody has seen. */
static char *ended_text(const struct reader *reader)
{
	char *list = text_copy("");
	uint32_t ended = 0;

	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *row = &reader->session.table[slot];
		AUTO_FREE char *command = NULL;

		if (!reader->processes[slot].gone ||
		    reader->processes[slot].gone_ns <= reader->session.head->start_ns ||
		    ended++ >= ENDED_NAMED)
			continue;
		command = ps_command(process_argv(row));
		list = text_join(list, ", ", text_format("process %u (%s)", row->pid, command));
	}
	if (ended > ENDED_NAMED)
		list = text_join(list, " ", text_format("and %u more", ended - ENDED_NAMED));
	return text_join(list, " ",
			 text_copy(ended > 1 ? "ended while they were looked at" :
				   ended     ? "ended while it was looked at" :
					       ""));
}

static void attach_conclude(struct attach *attach, struct deadlocks *deadlocks)
{
	struct looking *looking = attach->context;
	struct ps ps;

	ps_over(&ps, deadlocks, attach->judge);
	looking->picture = ps_picture(&ps, NULL);
	looking->ended = ended_text(attach->judge->reader);
	ps_close(&ps);
}

static void add_limit(const char *text, void *document)
{
	report_limit(document, "%s", text);
}

/* Whether a thread waits for what a thread of another process has. */
static bool waits_across(const struct ps_picture *picture)
{
	EACH_THREAD(picture, process, thread)
		if (thread->waits.owner.tid && thread->waits.owner.pid != process->pid)
			return true;
	return false;
}

static void add_limits(json_t *document, const struct target *target, const struct attach *attach,
		       const struct cores *cores)
{
	const struct looking *looking = attach->context;

	if (cores->list.count)
		report_limit(
			document,
			"read from a core file, in which nothing moves: how long threads waited, descriptors, "
			"signal handlers and other processes are not known");
	if (cores->list.count > 1 && waits_across(looking->picture))
		report_limit(
			document,
			"threads wait for locks of threads in other core files: each file is of another moment, so circles of "
			"waits through several files are shown, and not proved");
	cores_each_limit(cores, add_limit, document);
	report_limit(
		document,
		"examined from outside: what happened before, which locks were held at a fork, alarms, "
		"and names of locks in C are not known");
	if (!cores->list.count && *looking->ended)
		report_limit(document, "%s", looking->ended);
	rights_each_limit(target, add_limit, document);
	if (attach->refused)
		report_limit(document, "%u process%s did not fit into the session", attach->refused,
			     attach->refused == 1 ? "" : "es");
}

/*
 * A program that runs under mpsan already: its own session has more to tell. `dirs`: NULL-terminated.
 */
static int report_watched(struct settings *settings, char **dirs)
{
	struct report report = {0};
	int status = offline_judge(settings, dirs, &report);

	if (status)
		return status;
	status = offline_conclude(settings, &report);
	report_finish(&report);
	return status;
}

static int attach_report(struct settings *settings, const struct attach *attach,
			 const struct cores *cores)
{
	struct report_exit end = {.code = -1};
	const struct reader *reader = attach->judge->reader;
	const struct looking *looking = attach->context;
	json_auto_t *command = reader->used.count ?
				       process_argv(&reader->session.table[reader->used.item[0]]) :
				       json_array();
	struct report made = {.document = report_create(command, &end)};
	int status;

	offline_add(settings, attach->judge, &end, &made);
	add_limits(made.document, attach->target, attach, cores);
	picture_add(&made, looking->picture,
		    !looking->shown && judge_worst(attach->judge) < GRADE_WARNING);
	status = offline_conclude(settings, &made);
	report_finish(&made);
	return status;
}

static void say_endings(const struct cores *cores)
{
	AUTO_FREE char *endings = cores_endings(cores);

	if (*endings)
		fprintf(stderr, "mpsan: %s\n", endings);
}

static int examine(struct settings *settings, struct launch *launch, struct target *target,
		   const struct cores *cores)
{
	struct reader reader;
	struct judge judge;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	struct looking looking = {.began_ns = now_ns,
				  .enough_ns = settings->watch ? 0 : now_ns + LOOK_NS,
				  .shows = !settings->watch && !settings->reports.count &&
					   !cores->list.count && isatty(STDOUT_FILENO)};
	struct attach attach = {.target = target,
				.judge = &judge,
				.hang_after = cores->list.count ? 0 : settings->hang_after,
				.until_ns = settings->watch ? UINT64_MAX : now_ns + LONG_NS,
				.say = attach_say,
				.conclude = attach_conclude,
				.context = &looking};
	char *wrong = reader_open(&reader, launch->dir, true);
	int status;

	if (wrong)
		return cmd_attach_tell(wrong);
	judge_init(&judge, &reader, &settings->grades, &settings->suppressions);
	judge.baseline = &settings->baseline;
	catch_interrupts();
	say_endings(cores);
	attach_run(&attach);
	progress_end();
	status = attach_report(settings, &attach, cores);
	ps_picture_free(looking.picture);
	free(looking.ended);
	judge_finish(&judge);
	reader_close(&reader);
	return status;
}

static void say_progress(uint32_t processes)
{
	AUTO_FREE char *text = text_format("%u process%s", processes, processes == 1 ? "" : "es");

	progress_begin_with(text, "examining", LONG_NS);
}

static int attach(struct settings *settings, struct target *target, const struct cores *cores)
{
	uint32_t processes = target_look(target);
	struct launch launch;
	int status;
	char *wrong = attach_refusal(target);

	if (wrong)
		return cmd_attach_tell(wrong);
	if (!settings->watch)
		say_progress(processes);
	wrong = launch_prepare_outside(&launch, settings->dir, 2 * processes);
	status = wrong ? cmd_attach_tell(wrong) : examine(settings, &launch, target, cores);
	launch_finish(&launch);
	return status;
}

/* The sessions of the processes that were given, NULL-terminated; empty if one of them has none. */
static char **sessions_of(const struct settings *settings, int argc, char **argv)
{
	uint32_t count = 0, words = (uint32_t)(argc - settings->rest);
	char **dirs = memory_get((words + 1) * sizeof(*dirs));

	for (uint32_t i = 0; i < words && !settings->names.count; i++) {
		const char *word = argv[settings->rest + (int)i];
		char *dir = watched_session((uint32_t)strtoul(word, NULL, 10));
		bool known = false;

		for (uint32_t k = 0; dir && k < count; k++)
			known |= !strcmp(dirs[k], dir);
		if (dir && !known) {
			fprintf(stderr,
				"mpsan: attach: process %s runs under mpsan: reporting its session %s\n",
				word, dir);
			dirs[count++] = dir;
			continue;
		}
		free(dir);
		if (known)
			continue;
		while (count)
			free(dirs[--count]);
		dirs[0] = NULL;
		break;
	}
	return dirs;
}

static int attach_all(struct settings *settings, struct target *target, const struct cores *cores,
		      int argc, char **argv)
{
	AUTO_FREE char **dirs = sessions_of(settings, argc, argv);
	int status = dirs[0] ? report_watched(settings, dirs) : attach(settings, target, cores);

	for (char **dir = dirs; *dir; dir++)
		free(*dir);
	return status;
}

/* Makes operands of the values of --pid; the caller frees them. */
static char **all_pids(struct settings *settings, int *argc, char **argv)
{
	int pids = (int)settings->pids.count, rest = *argc - settings->rest;
	char **words = memory_get((size_t)(pids + rest + 1) * sizeof(*words));

	for (int i = 0; i < pids; i++)
		words[i] = (char *)settings->pids.item[i];
	for (int i = 0; i < rest; i++)
		words[pids + i] = argv[settings->rest + i];
	settings->rest = 0;
	*argc = pids + rest;
	return words;
}

int cmd_attach(int argc, char **argv)
{
	struct settings settings;
	struct target target = {0};
	struct cores cores = {0};
	int status = options_parse(&settings, OPT_ATTACH, usage_attach, argc, argv);
	char **pids = NULL;

	if (!status)
		argv = pids = all_pids(&settings, &argc, argv);
	if (!status)
		status = settings.cores.count ? choose_cores(&settings, &target, &cores, argc) :
						choose(&settings, &target, argc, argv);
	if (!status)
		status = offline_check(&settings);
	if (!status)
		status = attach_all(&settings, &target, &cores, argc, argv);
	target_finish(&target);
	cores_close(&cores);
	free(pids);
	options_finish(&settings);
	return status == OPTIONS_HELP ? 0 : status;
}
