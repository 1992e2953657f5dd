/* SPDX-License-Identifier: Apache-2.0 */
/* Follows frames outwards through the library that the program called. */
#include "awaited.h"

#include <string.h>

static const struct {
	enum awaited_nature nature;
	enum parked_wait meant;
	const char *phrase, *object;
} words[] = {
	[AWAITED_NOTHING] = {AWAITED_SENT, PARKED_BY_CALL, "", ""},
#define AWAITED(name, nature, meant, phrase, object) \
	[AWAITED_##name] = {AWAITED_##nature, PARKED_##meant, phrase, object},
#include "awaited.def"
};

struct row {
	enum awaited before;
	const char *class, *function, *file;
	enum awaited then;
	enum parked_wait meant; /* BY_CALL: as `then` says */
};

static const struct row rows[] = {
#define FRAME(before, class, function, file, then) \
	MEANT(before, class, function, file, then, BY_CALL)
#define MEANT(before, class, function, file, then, meant) \
	{AWAITED_##before, class, function, file, AWAITED_##then, PARKED_##meant},
#include "awaited.def"
};

/* Packages that are copies of multiprocessing. */
static const char *const copies[] = {"multiprocess/", "billiard/", "loky/backend/"};

static bool is_copy(const struct pyframe *frame, const char *file)
{
	const char *rest = strncmp(file, "/multiprocessing/", 17) ? NULL : file + 17;

	for (size_t i = 0; rest && i < sizeof(copies) / sizeof(*copies); i++)
		if (pytext_ends(frame->file, rest) &&
		    pytext_ends(
			    (struct pytext){frame->file.text, frame->file.length - strlen(rest)},
			    copies[i]))
			return true;
	return false;
}

/* Whether a file of the table stands in a place of its own: a copy, or in a bundle, where paths are relative. */
static bool is_elsewhere(const struct pyframe *frame)
{
	bool bundled = frame->file.length && frame->file.text[0] != '/';

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if ((bundled && pyframe_in(frame, rows[i].file)) || is_copy(frame, rows[i].file))
			return true;
	return false;
}

static bool is_library(const struct pyframe *frame)
{
	return pyframe_is_standard(frame) || pytext_has(frame->file, "-packages/torch/") ||
	       pytext_has(frame->file, "-packages/gevent/") || is_elsewhere(frame);
}

static bool fits(const struct row *row, enum awaited before, const struct pyframe *frame)
{
	bool any = !frame->class.length; /* a version without classes, or no method */

	if (row->before != before || !(pyframe_in(frame, row->file) || is_copy(frame, row->file)))
		return false;
	return !*row->function ||
	       (pytext_is(frame->function, row->function) &&
		(any || (row->class[0] != '?' && pytext_is(frame->class, row->class))));
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

static const struct worker *worker_of(const struct pyframe *frame)
{
	for (size_t i = 0; i < sizeof(workers) / sizeof(*workers); i++)
		if (pyframe_is(frame, workers[i].function, workers[i].file))
			return pyframe_is_standard(frame) ? &workers[i] : NULL;
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
	frames->meant = frames->either ? PARKED_BY_CALL : words[worker->what].meant;
}

/* A worker that is a process gets its tasks from a queue that is written in Python. */
static void meet_process(struct awaited_frames *frames, const struct pyframe *frame)
{
	if (frames->either && pyframe_in(frame, "/multiprocessing/process.py")) {
		frames->what = AWAITED_NOTHING;
		run_task(frames);
	}
}

static void look_at_call(struct awaited_frames *frames, const struct pyframe *frame)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (fits(&rows[i], frames->what, frame)) {
			frames->what = rows[i].then;
			frames->meant = rows[i].meant ? rows[i].meant : words[rows[i].then].meant;
			break;
		}
}

void awaited_add(struct awaited_frames *frames, const struct pyframe *frame)
{
	const struct worker *worker = frames->decided ? NULL : worker_of(frame);

	frames->over |= !is_library(frame);
	if (!frames->over)
		look_at_call(frames, frame);
	frames->in_callback |= pyframe_is(frame, "_run", "/asyncio/events.py");
	frames->looped |= pyframe_in(frame, "/asyncio/base_events.py");
	/* a loop that is written in C, as uvloop's, has no frame */
	frames->in_callback |= frames->over && !frames->looped &&
			       pyframe_is(frame, "run", "/asyncio/runners.py");
	frames->in_hub |= pyframe_is(frame, "run", "/gevent/hub.py");
	frames->serves |= pyframe_is(frame, "serve_client", "/multiprocessing/managers.py");
	frames->logs |= pyframe_is(frame, "handle", "/logging/__init__.py");
	frames->tests |= !frames->over && pyframe_is(frame, "wait_for", "/threading.py");
	frames->tests |= !frames->over &&
			 pyframe_is(frame, "wait_for", "/multiprocessing/synchronize.py");
	frames->delivers |= pyframe_is(frame, "_handle_results", "/multiprocessing/pool.py");
	frames->feeds |= pyframe_is(frame, "_feed", "/multiprocessing/queues.py");
	/* coroutines stand before the frames of their loop */
	if (frames->what == AWAITED_NOTHING && !frames->decided && !frames->in_callback &&
	    pyframe_is(frame, "_run_once", "/asyncio/base_events.py"))
		frames->what = AWAITED_LOOP;
	if (worker)
		meet_worker(frames, worker);
	else
		meet_process(frames, frame);
	frames->last = pyframe_is(frame, "get", "/multiprocessing/queues.py") ||
				       pyframe_is(frame, "get", "/queue.py") ?
			       AWAITED_GET :
			       AWAITED_OTHER;
}

struct awaited_frames awaited_of(const char *text)
{
	struct awaited_frames frames = {0};
	struct pyframe frame;

	while (pyframe_next(&text, &frame))
		awaited_add(&frames, &frame);
	return frames;
}

bool awaited_is_result(struct awaited_frames frames)
{
	return frames.meant == PARKED_JOINS && awaited_is_sent(frames.what);
}

enum awaited_nature awaited_nature(enum awaited what)
{
	return words[what].nature;
}

bool awaited_is_sent(enum awaited what)
{
	return words[what].nature <= AWAITED_LOCAL;
}

bool awaited_is_async(enum awaited what)
{
	return what >= AWAITED_ASYNC_LOCK && what <= AWAITED_ASYNC_DONE;
}

const char *awaited_phrase(enum awaited what)
{
	return words[what].phrase;
}

const char *awaited_object(enum awaited what)
{
	return words[what].object;
}
