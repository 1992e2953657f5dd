/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which source lines may be shown, and adds them to frames. */
#include "sources.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/jsontext.h"
#include "../proc/files/foreign_file.h"

#define FILES_MAX 1000u /* files read per session */

struct source {
	char *key; /* whose, where, and what was made of it */
	struct source_file file;
	uint64_t made_ns;
};

struct sources {
	const struct reader *reader;
	bool here; /* the session's host has our files */
	uint64_t tick_ns; /* resolution of file timestamps */
	ARRAY(struct source) files;
};

/* Containers share the kernel and its boot id, but not host names. */
static bool is_same_host(const struct session *session)
{
	char name[sizeof(session->head->host.name)] = "";

	return session->here && !gethostname(name, sizeof(name) - 1) &&
	       !strncmp(name, session->head->host.name, sizeof(name) - 1);
}

struct sources *sources_create(const struct reader *reader)
{
	struct sources *sources = memory_get(sizeof(*sources));
	struct timespec tick = {0};

	sources->reader = reader;
	sources->here = reader->session.head && is_same_host(&reader->session);
	clock_getres(CLOCK_REALTIME_COARSE, &tick);
	sources->tick_ns = (uint64_t)tick.tv_nsec;
	return sources;
}

void sources_destroy(struct sources *sources)
{
	for (uint32_t i = 0; i < sources->files.count; i++) {
		source_file_finish(&sources->files.item[i].file);
		free(sources->files.item[i].key);
	}
	free(sources->files.item);
	free(sources);
}

static const struct source *source_of(struct sources *sources, const struct foreign_name *name)
{
	const char *root = name->root ? name->root : "/";
	char *key = text_format("%u %zu %zu %s%s%s", name->user->uid, strlen(root),
				strlen(name->path), root, name->path, name->made);
	struct source *source;

	for (uint32_t i = 0; i < sources->files.count; i++)
		if (!strcmp(sources->files.item[i].key, key)) {
			free(key);
			return &sources->files.item[i];
		}
	if (sources->files.count == FILES_MAX) {
		free(key);
		return NULL;
	}
	source = ARRAY_ADD(&sources->files);
	source->key = key;
	foreign_file_read(&source->file, name, &source->made_ns);
	return source;
}

/*
 * The initial working directory of the process's image: from its own log, or from that of the
 * process it was forked from.
 */
static const char *began_in(const struct reader *reader, uint32_t slot)
{
	const struct session *session = &reader->session;

	READER_EACH_ANCESTOR(reader, slot) {
		const struct mpsan_process *process = &session->table[slot];
		const struct logfile *log = reader->logs[slot];
		const struct mpsan_log *head = log ? logfile_head(log) : NULL;

		if (head && *head->directory == '/' &&
		    memchr(head->directory, '\0', sizeof(head->directory)))
			return head->directory;
		if (!fact_how_copies(process->how))
			break;
	}
	return NULL;
}

/*
 * Python's file names are relative to the program's initial directory, others to the compilation
 * directory.
 */
static char *sources_absolute(const char *file, const char *directory)
{
	if (*file == '/')
		return text_copy(file);
	if (!directory || *directory != '/' || *file == '<')
		return NULL;
	return text_format("%s/%s", directory, file);
}

/* A process that mpsan attached to is older than the session. */
static uint64_t began_ns(const struct sources *sources, uint32_t slot)
{
	const struct session *session = &sources->reader->session;
	uint64_t begun = session->head->start_real_ns, birth;

	if (slot < session->slots && session->table[slot].birth_ns) {
		birth = reader_real_ns(sources->reader, session->table[slot].birth_ns);
		begun = birth < begun ? birth : begun;
	}
	return begun > sources->tick_ns ? begun - sources->tick_ns : 0;
}

/*
 * A function's name occurs at its definition: if not, another file has replaced this one unnoticed.
 */
static bool defines(const struct source_file *file, uint64_t line, const char *function)
{
	const char *dot = strrchr(function, '.'), *name = dot ? dot + 1 : function;

	return *name == '<' || source_file_names(file, line, name);
}

/* Compiled code is newer than its source. */
static bool may_be_shown(const struct source *source, const json_t *frame, bool compiled)
{
	uint64_t number = (uint64_t)json_integer_value(json_object_get(frame, "line"));

	return compiled ? source->made_ns && source->made_ns >= source->file.written_ns :
			  defines(&source->file, number, jsontext_at(frame, "function"));
}

/* The text that a frame's line may be shown of, or NULL. */
static const struct source_file *file_of(struct sources *sources, struct frames *frames,
					 const struct fact_place *at, const json_t *frame)
{
	const char *module = jsontext_at(frame, "module");
	AUTO_FREE char *path = sources_absolute(jsontext_at(frame, "file"),
						*module ? frames_built_in(frames, frame) :
							  began_in(sources->reader, at->by));
	struct proc_user user;
	struct foreign_name name = {.path = path,
				    .root = session_root(&sources->reader->session, at->by),
				    .directory = -1,
				    .made = module,
				    .user = &user};
	const struct source *source = NULL;

	if (path)
		session_user(&sources->reader->session, at->by, &user);
	if (path)
		source = source_of(sources, &name);
	if (!source || !source->file.text || source->file.changed_ns >= began_ns(sources, at->by) ||
	    !may_be_shown(source, frame, *module))
		return NULL;
	return &source->file;
}

static void show_around(const struct source_file *file, uint64_t number, json_t *frame)
{
	char *line[SOURCE_FILE_AROUND];
	uint64_t first = source_file_around(file, number, line);
	json_t *lines = json_array();

	for (unsigned i = 0; i < SOURCE_FILE_AROUND && line[i]; i++) {
		json_array_append_new(lines, jsontext_of(line[i]));
		free(line[i]);
	}
	json_object_set_new(frame, "around",
			    json_pack("{s:I, s:o}", "first", (json_int_t)first, "lines", lines));
}

static void show_line(const struct source_file *file, json_t *frame)
{
	uint64_t number = (uint64_t)json_integer_value(json_object_get(frame, "line"));
	AUTO_FREE char *line = source_file_line(file, number);

	if (!line)
		return;
	json_object_set_new(frame, "source", jsontext_of(line));
	show_around(file, number, frame);
}

void sources_show(struct sources *sources, struct frames *frames, const struct fact_place *at,
		  json_t *stack)
{
	const struct source_file *file;
	json_t *frame;

	if (!sources->here)
		return;
	JSON_EACH(frame, stack) {
		if (frame_distance(frame) || frame_is_header(frame) || !*jsontext_at(frame, "file"))
			continue;
		file = json_object_get(frame, "source") ? NULL :
							  file_of(sources, frames, at, frame);
		if (file)
			show_line(file, frame);
		return;
	}
}
