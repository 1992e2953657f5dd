/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the Python source of a worker's parent for uses of exit statuses. */
#include "mon_exitcodes.h"

#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../facts/processes.h"
#include "../../proc/files/foreign_file.h"
#include "../../waits/pythreads.h"

void mon_exitcodes_init(struct mon_exitcodes *mon_exitcodes, const struct workers *workers)
{
	*mon_exitcodes = (struct mon_exitcodes){.workers = workers};
	mon_exitcodes->done =
		memory_get(workers->reader->session.slots * sizeof(*mon_exitcodes->done));
}

/* ---- one source ---- */

static bool is_word_end(char c)
{
	return !isalnum((unsigned char)c) && c != '_';
}

static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(line, word); at; at = strstr(at + 1, word))
		if ((at == line || is_word_end(at[-1])) && is_word_end(at[length]))
			return true;
	return false;
}

static bool names_status(const char *line)
{
	static const char *const words[] = {
		"exitcode",	  "exit_code",	     "WIFSIGNALED",	  "WTERMSIG",
		"WIFEXITED",	  "WEXITSTATUS",     "WCOREDUMP",	  "waitstatus_to_exitcode",
		"ProcessExpired", "WorkerLostError", "BrokenProcessPool", "BrokenExecutor",
		"SIGCHLD",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (has_word(line, words[i]))
			return true;
	return false;
}

/* Whether the line uses the result of a call that returns a status. */
static bool takes_status(const char *line)
{
	static const char *const calls[] = {"waitpid", "os.wait", "wait3", "wait4", "waitid"};
	const char *begin = line + strspn(line, " \t");

	begin += strncmp(begin, "os.", 3) ? 0 : 3;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (has_word(line, calls[i]))
			return strncmp(begin, "wait", 4) != 0;
	return false;
}

/* Stops at a comment. A '#' in a string counts as one, too, which only errs on the safe side. */
unsigned mon_exitcodes_in_source(const char *text)
{
	unsigned how = 0;
	char line[1024];

	while (*text) {
		size_t length = strcspn(text, "\n"), code = strcspn(text, "#\n");

		code = code < sizeof(line) ? code : sizeof(line) - 1;
		memcpy(line, text, code);
		line[code] = '\0';
		if (names_status(line) || takes_status(line))
			return MPSAN_HEED_SOURCE;
		if (has_word(line, "unittest") || has_word(line, "pytest"))
			how = MPSAN_HEED_TEST;
		text += length + (text[length] == '\n');
	}
	return how;
}

/* ---- which sources ---- */

/* A dead worker, and the directory that its parent's source paths are relative to. */
struct search {
	const struct mon_exitcodes *mon_exitcodes;
	uint32_t worker, parent;
	int dirfd;
	const char *root;
	struct proc_user user;
};

static unsigned file_heeds(const struct search *search, const char *path)
{
	const struct foreign_name name = {.path = path,
					  .root = search->root,
					  .directory = search->dirfd,
					  .made = "",
					  .user = &search->user};
	struct source_file file;
	unsigned how;

	foreign_file_read(&file, &name, NULL);
	how = file.text ? mon_exitcodes_in_source(file.text) : 0;
	source_file_finish(&file);
	return how;
}

/* The standard library's own bookkeeping of processes is not the program's. */
static bool is_pythons_own(const char *path)
{
	const char *at = strstr(path, "/multiprocessing/");

	while (at && at > path && at[-1] != '/')
		at--;
	return at && !strncmp(at, "python", 6);
}

/* Searches the sources of frames: one line each, with function, file and line separated by tabs. */
static unsigned frames_heed(const struct search *search, const char *frames)
{
	char path[1024], before[1024] = "";
	unsigned how = 0, test = 0;

	for (; frames && *frames; frames += strcspn(frames, "\n"), frames += *frames == '\n') {
		const char *file = frames + strcspn(frames, "\t\n");
		size_t length = *file == '\t' ? strcspn(++file, "\t\n") : 0;

		if (!length || length >= sizeof(path))
			continue;
		memcpy(path, file, length);
		path[length] = '\0';
		if (strstr(path, "/concurrent/futures/process.py"))
			return MPSAN_HEED_POOL;
		if (!strcmp(path, before) || is_pythons_own(path))
			continue;
		strcpy(before, path);
		how = file_heeds(search, path);
		if (how == MPSAN_HEED_SOURCE)
			return how;
		test = how ? how : test;
	}
	return test;
}

/* Searches the script among an interpreter's arguments, or the module or command there. */
static unsigned arguments_heed(const struct search *search)
{
	const struct mpsan_process *process =
		&search->mon_exitcodes->workers->reader->session.table[search->parent];
	char argv[MPSAN_ARGV_BYTES + 1] = "";
	const char *end = argv + MPSAN_ARGV_BYTES, *word;

	memcpy(argv, process->argv, MPSAN_ARGV_BYTES);
	for (word = argv + strlen(argv) + 1; word < end && *word == '-'; word += strlen(word) + 1)
		if (!strcmp(word, "-c"))
			return mon_exitcodes_in_source(word + 3);
	return word < end && *word ? file_heeds(search, word) : 0;
}

static unsigned start_heeds(const struct search *search)
{
	const struct reader *reader = search->mon_exitcodes->workers->reader;
	uint32_t fork = process_fork(&reader->facts, search->worker);
	const struct fact_fork *made = fork == FACT_NONE ? NULL : &reader->facts.forks[fork];

	return made ? frames_heed(search, reader_text(reader, made->at.slot, made->ev.python)) : 0;
}

/* Searches the sources on the parent's current stack. */
static unsigned present_heeds(const struct search *search)
{
	const struct snapshot *snapshot = search->mon_exitcodes->workers->snapshot;
	uint32_t at = snapshot_process(snapshot, search->parent);
	char *frames;
	unsigned how;

	if (at == SNAPSHOT_NONE)
		return 0;
	if (session_handlers(&snapshot->reader->session, search->parent) & 1ull << (SIGCHLD - 1))
		return MPSAN_HEED_HANDLER;
	frames = pythread_stack(&snapshot->threads.item[snapshot->processes.item[at].begin]);
	how = frames_heed(search, frames);
	free(frames);
	return how;
}

static int directory_of(const struct reader *reader, uint32_t slot)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/cwd",
		 proc_living(session_pid(&reader->session, slot)));
	fd = reader->processes[slot].gone ? -1 : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) : fd;
}

static void mon_exitcodes_look_at(const struct mon_exitcodes *mon_exitcodes, struct watchlog *log,
				  uint32_t slot, uint32_t parent)
{
	const struct reader *reader = mon_exitcodes->workers->reader;
	struct search search = {.mon_exitcodes = mon_exitcodes,
				.worker = slot,
				.parent = parent,
				.root = session_root(&reader->session, parent)};
	struct ev_heeded event = {.worker_slot = slot + 1};
	unsigned (*const look[])(const struct search *) = {present_heeds, start_heeds,
							   arguments_heed};

	session_user(&reader->session, parent, &search.user);
	search.dirfd = directory_of(reader, parent);
	for (size_t i = 0; i < sizeof(look) / sizeof(*look); i++) {
		unsigned how = look[i](&search);

		event.how = how ? how : event.how;
		if (how && how != MPSAN_HEED_TEST)
			break;
	}
	if (event.how)
		watchlog_put(log, EV_heeded, parent, reader->session.table[parent].pid, &event,
			     sizeof(event));
	if (search.dirfd >= 0)
		close(search.dirfd);
}

static void look(struct mon_exitcodes *mon_exitcodes, struct watchlog *log, bool last)
{
	const struct reader *reader = mon_exitcodes->workers->reader;

	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];
		uint32_t parent;

		if (mon_exitcodes->done[slot] || !reader->processes[slot].gone ||
		    (process->end == MPSAN_END_NONE && !last))
			continue;
		mon_exitcodes->done[slot] = true;
		parent = process->end == MPSAN_END_SIGNAL &&
					 process_is_worker(&reader->facts, slot) ?
				 process_parent(&reader->facts, slot) :
				 FACT_NONE;
		if (parent != FACT_NONE && reader->session.table[parent].python)
			mon_exitcodes_look_at(mon_exitcodes, log, slot, parent);
	}
}

void mon_exitcodes_look(struct mon_exitcodes *mon_exitcodes, struct watchlog *log)
{
	look(mon_exitcodes, log, false);
}

void mon_exitcodes_finish(struct mon_exitcodes *mon_exitcodes, struct watchlog *log)
{
	look(mon_exitcodes, log, true);
	free(mon_exitcodes->done);
	*mon_exitcodes = (struct mon_exitcodes){0};
}
