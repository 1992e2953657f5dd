/* SPDX-License-Identifier: Apache-2.0 */
/* Follows frames outwards through the library that the program called. */
#include "awaited.h"

#include <string.h>

struct row {
	enum awaited before;
	const char *class, *function, *file;
	enum awaited then;
};

static const struct row rows[] = {
#define FRAME(before, class, function, file, then) \
	{AWAITED_##before, class, function, file, AWAITED_##then},
#include "awaited.def"
};

static const struct {
	enum awaited_nature nature;
	const char *phrase, *object;
} words[] = {
	[AWAITED_NOTHING] = {AWAITED_SENT, "", ""},
#define AWAITED(name, nature, phrase, object) [AWAITED_##name] = {AWAITED_##nature, phrase, object},
#include "awaited.def"
};

/* A piece of text that does not end with a NUL. */
struct piece {
	const char *text;
	size_t length;
};

static bool is(struct piece piece, const char *word)
{
	return piece.length == strlen(word) && !memcmp(piece.text, word, piece.length);
}

static bool has(struct piece piece, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= piece.length; i++)
		if (!memcmp(piece.text + i, word, length))
			return true;
	return false;
}

static bool ends(struct piece piece, const char *word)
{
	size_t length = strlen(word);

	return piece.length >= length && !memcmp(piece.text + piece.length - length, word, length);
}

static bool is_standard(struct piece file)
{
	return (file.length && file.text[0] == '<') ||
	       ((has(file, "/lib/python") || has(file, "/lib64/python")) &&
		!has(file, "-packages/"));
}

static bool is_library(struct piece file)
{
	return is_standard(file) || has(file, "-packages/torch/");
}

/* Takes the function's own name off: what is left is the class, or "". */
static struct piece split(struct piece *function)
{
	struct piece class = {function->text, 0};

	for (size_t i = function->length; i-- > 0;) {
		if (function->text[i] != '.')
			continue;
		class.length = i;
		function->text += i + 1;
		function->length -= i + 1;
		break;
	}
	return class;
}

static bool fits(const struct row *row, const struct awaited_frames *frames, struct piece class,
		 struct piece function, struct piece file)
{
	bool any = !class.length; /* a version without classes, or no method */

	return row->before == frames->what && is(function, row->function) &&
	       ends(file, row->file) && (any || (row->class[0] != '?' && is(class, row->class)));
}

enum bare { TASK, IDLE, BUSY, EITHER };

static const struct worker {
	const char *function, *file;
	enum bare bare;
	enum awaited what;
} workers[] = {
#define WORKER(function, file, bare, what) {function, file, bare, AWAITED_##what},
#include "awaited.def"
};

static const struct worker *worker_of(struct piece function, struct piece file)
{
	for (size_t i = 0; i < sizeof(workers) / sizeof(*workers); i++)
		if (is(function, workers[i].function) && ends(file, workers[i].file))
			return is_standard(file) ? &workers[i] : NULL;
	return NULL;
}

/* What is further out says nothing of the wait of a worker that runs a task. */
static void run_task(struct awaited_frames *frames)
{
	frames->in_task = frames->over = true;
	frames->either = false;
}

static void meet_worker(struct awaited_frames *frames, const struct worker *worker)
{
	bool bare = frames->last == AWAITED_INMOST, gets = frames->last == AWAITED_GET;

	frames->decided = true;
	if (worker->bare == TASK || frames->over || (bare ? worker->bare == BUSY : !gets)) {
		run_task(frames);
		return;
	}
	frames->what = worker->what;
	frames->either = bare && worker->bare == EITHER;
}

/* A worker that is a process gets its tasks from a queue that is written in Python. */
static void meet_process(struct awaited_frames *frames, struct piece file)
{
	if (frames->either && ends(file, "/multiprocessing/process.py")) {
		frames->what = AWAITED_NOTHING;
		run_task(frames);
	}
}

static void look_at_call(struct awaited_frames *frames, struct piece class, struct piece name,
			 struct piece file)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (fits(&rows[i], frames, class, name, file)) {
			frames->what = rows[i].then;
			break;
		}
}

void awaited_add(struct awaited_frames *frames, const char *function, size_t function_length,
		 const char *file, size_t file_length)
{
	struct piece name = {function, function_length}, where = {file, file_length},
		     class = split(&name);
	const struct worker *worker = frames->decided ? NULL : worker_of(name, where);

	frames->over |= !is_library(where);
	if (!frames->over)
		look_at_call(frames, class, name, where);
	/* coroutines stand before the frames of their loop */
	if (frames->what == AWAITED_NOTHING && !frames->decided && is(name, "_run_once") &&
	    ends(where, "/asyncio/base_events.py"))
		frames->what = AWAITED_LOOP;
	if (worker)
		meet_worker(frames, worker);
	else
		meet_process(frames, where);
	frames->last = is(name, "get") && (ends(where, "/multiprocessing/queues.py") ||
					   ends(where, "/queue.py")) ?
			       AWAITED_GET :
			       AWAITED_OTHER;
}

struct awaited_frames awaited_of(const char *text)
{
	struct awaited_frames frames = {0};

	while (text && *text) {
		const char *end = strchr(text, '\n'), *stop = end ? end : text + strlen(text);
		const char *file = memchr(text, '\t', (size_t)(stop - text)),
			   *line = file ? memchr(file + 1, '\t', (size_t)(stop - file - 1)) : NULL;

		if (line)
			awaited_add(&frames, text, (size_t)(file - text), file + 1,
				    (size_t)(line - file - 1));
		text = end ? end + 1 : stop;
	}
	return frames;
}

enum awaited_nature awaited_nature(enum awaited what)
{
	return words[what].nature;
}

const char *awaited_phrase(enum awaited what)
{
	return words[what].phrase;
}

const char *awaited_object(enum awaited what)
{
	return words[what].object;
}
