/* SPDX-License-Identifier: Apache-2.0 */
/* See ps.h: finds sessions in the places where `mpsan run` and plain preloading create them. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../attach/attach.h"
#include "../proc/process/variables.h"
#include "../reader/host.h"
#include "../report/report.h"
#include "ps.h"
#include "ps_text.h"

static bool is_living(const struct session *session)
{
	for (uint32_t slot = 0; slot < session->there; slot++) {
		const struct mpsan_process *process = &session->table[slot];

		/* This command itself, if the library is preloaded into every program. */
		if (!process->pid || process->end_ns || process->pid == (uint32_t)getpid())
			continue;
		if (session_liveness(session, slot) == ALIVE)
			return true;
	}
	return false;
}

static bool ps_find_is_known(const struct ps_found *found, const char *dir)
{
	for (uint32_t i = 0; i < found->item.count; i++)
		if (!strcmp(found->item.item[i], dir))
			return true;
	return false;
}

static void try_session(struct ps_found *found, const char *dir)
{
	struct session session;
	struct stat st;
	char *wrong;

	if (lstat(dir, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    ps_find_is_known(found, dir))
		return;
	wrong = session_open(&session, dir, false);
	if (wrong) {
		free(wrong);
		return;
	}
	if (is_living(&session))
		*ARRAY_ADD(&found->item) = text_copy(dir);
	session_close(&session);
}

static int ps_find_compare(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Searches the entries of a directory whose names begin with `prefix`. */
static void ps_find_search(struct ps_found *found, const char *dir, const char *prefix)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		AUTO_FREE char *path = NULL;

		if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		path = text_format("%s/%s", dir, entry->d_name);
		try_session(found, path);
	}
	if (stream)
		closedir(stream);
}

/* Resolves MPSAN_DIR as this process would. */
static void try_given(struct ps_found *found, const char *given)
{
	AUTO_FREE char *dir = host_directory(given);

	if (dir)
		try_session(found, dir);
}

/* If MPSAN_DIR contains a '%', the library links its expansion from a directory of notes. */
static void search_notes(struct ps_found *found, const char *own)
{
	char *notes = text_format("%s/.dirs", own), dir[PATH_MAX];
	DIR *stream = opendir(notes);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		ssize_t bytes = readlinkat(dirfd(stream), entry->d_name, dir, sizeof(dir) - 1);

		if (bytes <= 0)
			continue;
		dir[bytes] = '\0';
		try_session(found, dir);
	}
	if (stream)
		closedir(stream);
	free(notes);
}

void ps_find(struct ps_found *found)
{
	const char *tmp = getenv("TMPDIR"), *given = getenv("MPSAN_DIR");
	AUTO_FREE char *own = NULL;

	*found = (struct ps_found){0};
	if (!tmp || *tmp != '/')
		tmp = "/tmp";
	own = text_format("%s/mpsan-%u", tmp, geteuid());
	found->places = text_format("%s/mpsan-*%s%s", tmp, given && *given ? " and " : "",
				    given && *given ? given : "");
	if (given && *given)
		try_given(found, given);
	ps_find_search(found, own, "");
	search_notes(found, own);
	ps_find_search(found, tmp, "mpsan-");
	if (found->item.count)
		qsort(found->item.item, found->item.count, sizeof(char *), ps_find_compare);
}

void ps_find_elsewhere(struct ps_found *found)
{
	DIR *stream = opendir("/proc");
	struct dirent *entry;
	struct stat st;

	while (stream && (entry = readdir(stream))) {
		const char *dir;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9' ||
		    fstatat(dirfd(stream), entry->d_name, &st, 0) || st.st_uid != geteuid())
			continue;
		variables_read((uint32_t)strtoul(entry->d_name, NULL, 10));
		dir = variables_get("MPSAN_DIR");
		if (dir && *dir == '/')
			try_given(found, dir);
	}
	variables_finish();
	if (stream)
		closedir(stream);
}

void ps_found_finish(struct ps_found *found)
{
	for (uint32_t i = 0; i < found->item.count; i++)
		free(found->item.item[i]);
	free(found->item.item);
	free(found->places);
}

static void print_line(FILE *out, const char *dir, const struct session *session)
{
	const struct mpsan_process *first = NULL;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint32_t alive = 0;
	AUTO_FREE char *command = NULL;

	for (uint32_t slot = 0; slot < session->there; slot++) {
		const struct mpsan_process *process = &session->table[slot];

		if (!process->pid)
			continue;
		if (!first || process->birth_ns < first->birth_ns)
			first = process;
		alive += !process->end_ns && session_liveness(session, slot) == ALIVE;
	}
	command = first ? ps_command(process_argv(first)) : text_copy("?");
	fprintf(out, "  %s  %s  for %llu s, %u process%s\n", dir, command,
		(unsigned long long)((now - session->head->start_ns) / 1000000000u), alive,
		alive == 1 ? "" : "es");
}

void ps_describe(FILE *out, const char *dir)
{
	struct session session;
	AUTO_FREE char *wrong = session_open(&session, dir, false);

	if (!wrong) {
		print_line(out, dir, &session);
		session_close(&session);
	}
}

static void list_found(const struct ps_found *found)
{
	for (uint32_t i = 0; i < found->item.count; i++)
		ps_describe(stderr, found->item.item[i]);
}

/*
 * Lists running sessions in other places, but does not take one: that it is meant is less certain.
 */
static void say_none(struct ps_found *found, const char *command, const char *usage)
{
	ps_find_elsewhere(found);
	if (!host_proc_is_own())
		complain("%s: " HOST_NO_PROC, command);
	else
		complain("%s: no running session of yours in %s; give its directory: mpsan %s%s",
			 command, found->places, usage,
			 found->item.count ? "; running elsewhere:" : "");
	list_found(found);
}

/*
 * The only running session, which the caller frees; NULL after an error line if there is none, or
 * several.
 */
static char *pick_living(const char *command, const char *usage)
{
	struct ps_found found;
	char *dir = NULL;

	ps_find(&found);
	if (found.item.count == 1) {
		dir = text_copy(found.item.item[0]);
	} else if (!found.item.count) {
		say_none(&found, command, usage);
	} else {
		complain("%s: %u sessions are running; give the directory of one: mpsan %s",
			 command, found.item.count, usage);
		list_found(&found);
	}
	ps_found_finish(&found);
	return dir;
}

static bool is_number(const char *word)
{
	return *word && strlen(word) < 10 && strspn(word, "0123456789") == strlen(word);
}

/* A number that is no directory. */
static bool is_pid(const char *word)
{
	return is_number(word) && access(word, F_OK);
}

/* The PID in -p PID, -pPID, --pid PID or --pid=PID at this place, "" if it is missing; NULL: another word. */
static const char *pid_in(char **argv, int *at)
{
	const char *word = argv[*at];

	if (!strncmp(word, "--pid=", 6))
		return word + 6;
	if (!strcmp(word, "-p") || !strcmp(word, "--pid"))
		return argv[*at + 1] ? argv[++*at] : "";
	return strncmp(word, "-p", 2) ? NULL : word + 2;
}

/* An option is one of the command's if its usage names it. */
static bool is_option(const char *word, const char *option, const char *usage)
{
	return !strcmp(word, option) && strstr(usage, option);
}

/* From here on a reader that goes away does not kill the command, which has a session to remove. */
static char *open_outside(const char *command, const char *pid, bool whole, bool *own)
{
	signal(SIGPIPE, SIG_IGN);
	return attach_session(command, (uint32_t)strtoul(pid, NULL, 10), whole, own);
}

int ps_command_run(int argc, char **argv, const char *usage,
		   int (*show)(const char *dir, bool as_json, const void *context),
		   const void *context)
{
	char *dir = NULL, *living = NULL, *outside = NULL;
	bool own = false, as_json = false, as_pid = false, whole = true;
	int status;

	for (int i = 1; i < argc; i++) {
		const char *pid = strstr(usage, "PID") ? pid_in(argv, &i) : NULL;

		if (!pid && is_option(argv[i], "--json", usage))
			as_json = true;
		else if (!pid && is_option(argv[i], "--tree", usage))
			whole = false;
		else if (!pid && argv[i][0] == '-')
			return complain("unknown option %s; usage: mpsan %s", argv[i], usage);
		else if (dir)
			return complain("%s: one session at a time; usage: mpsan %s", argv[0],
					usage);
		else
			dir = pid ? (char *)pid : argv[i];
		as_pid |= pid != NULL;
	}
	if (as_pid && !is_number(dir))
		return complain(*dir ? "%s: --pid %s: no PID" : "%s: --pid%s: missing PID", argv[0],
				dir);
	if (dir && !is_number(dir) && strstr(usage, "PID") && access(dir, F_OK))
		return complain(
			"%s: '%s': %s; give the PID of a process, or a session directory (mpsan run --dir DIR creates one)",
			argv[0], dir, strerror(errno));
	if (dir && (as_pid || is_pid(dir)))
		dir = outside = open_outside(argv[0], dir, whole, &own);
	else if (!whole)
		return complain("%s: --tree is of a process: give its PID; usage: mpsan %s",
				argv[0], usage);
	else if (!dir)
		dir = living = pick_living(argv[0], usage);
	status = dir ? show(dir, as_json, context) : STATUS_USAGE;
	attach_discard(outside, own);
	free(living);
	return status;
}
