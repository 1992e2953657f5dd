/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches the code of frames, of the functions and classes of their modules, and what is nested in these, for names
 * of exit statuses. The code of a module itself has all others in it, but only runs while the module is loaded, as
 * that of a script does to its end.
 */
#include "status.h"

#include "called.h"
#include "process.h"
#include "reach.h"

#define OBJECTS_MAX 20000u
#define DEPTH_MAX 16u /* two for each function that is nested in another */
#define FRAMES_MAX 64u /* the outermost ones */
#define TRIES_MAX 64u
#define VALUES_MAX 192u /* of a module, or a class */
#define OF_TESTS 2u /* words */
#define NAME_BYTES 24 /* of the longest word below, and one more */

struct search {
	const struct cpython *py;
	uint64_t file; /* of the frame, a str that all code of its module shares */
	unsigned left;
	enum mpsan_exit_check how;
	unsigned frames;
	struct kept {
		uint64_t code, globals;
	} frame[FRAMES_MAX];
};

static bool is_unfinished(const struct search *search)
{
	return search->left && (!search->how || search->how == MPSAN_CHECKED_BY_TEST);
}

static void look_at_text(struct search *search, uint64_t object)
{
	static const char words[][NAME_BYTES] = {
		"unittest",	  "pytest", /* and of exit statuses: */
		"exitcode",	  "exit_code",	     "waitstatus_to_exitcode",
		"WIFSIGNALED",	  "WTERMSIG",	     "WIFEXITED",
		"WEXITSTATUS",	  "WCOREDUMP",	     "SIGCHLD",
		"ProcessExpired", "WorkerLostError", "BrokenProcessPool",
		"BrokenExecutor",
	};
	char text[NAME_BYTES] = "";
	struct writer w = writer_open(text, sizeof(text));

	writer_string(&w, search->py, object);
	writer_close(&w, sizeof(text));
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words) && is_unfinished(search); i++)
		if (!memcmp(text, words[i], strlen(words[i]) + 1))
			search->how = i < OF_TESTS ? MPSAN_CHECKED_BY_TEST :
						     MPSAN_CHECKED_BY_SOURCE;
}

/* Looks at a name, a code object, or a tuple of those. */
static void look_at(struct search *search, uint64_t object, unsigned depth)
{
	const struct cpython *py = search->py;
	uint64_t type = object ? cpython_type(py, object) : 0, count;

	if (!is_unfinished(search))
		return;
	search->left--;
	if (type == py->unicode_type) {
		look_at_text(search, object);
	} else if (type == py->code_type && depth) {
		for (unsigned i = 0; i < CALLED_TUPLES; i++)
			look_at(search, called_tuple(py, object, i), depth - 1);
	} else if (depth && reach_type_has(py, type, FLAG_TUPLE)) {
		count = cpython_member(py, object, CPYTHON_SIZE);
		for (uint64_t i = 0; i < count && is_unfinished(search); i++)
			look_at(search, cpython_peek_word(py, object + py->at.tuple_items + 8 * i),
				depth - 1);
	}
}

/* A function, or what a property, a staticmethod or a classmethod calls. */
static void look_at_function(struct search *search, uint64_t object)
{
	struct frame of = {.code = cpython_code_called(search->py, object)};

	if (of.code && frame_read_code(search->py, &of) && of.file == search->file)
		look_at(search, of.code, DEPTH_MAX);
}

/* Looks at the functions of a module or a class, and at the classes of a module. */
static void look_at_all(struct search *search, uint64_t names, bool classes)
{
	const struct cpython *py = search->py;
	uint64_t value[VALUES_MAX];
	unsigned count = names ? cpython_dict_values(py, names, value, VALUES_MAX) : 0;

	for (unsigned i = 0; i < count && is_unfinished(search); i++) {
		search->left--;
		look_at_function(search, value[i]);
		if (classes && reach_is_class(py, value[i]) &&
		    reach_type_has(py, value[i], FLAG_HEAP))
			look_at_all(search, cpython_member(py, value[i], TYPE_DICT), false);
	}
}

/* Whether a module is of Python's own bookkeeping of processes. */
static bool is_pythons_own(const struct cpython *py, uint64_t globals)
{
	static const char package[] = "multiprocessing.";
	char name[NAME_BYTES];
	struct writer w = writer_open(name, sizeof(name));

	writer_string(&w, py, cpython_dict_find(py, globals, "__name__"));
	writer_close(&w, sizeof(name));
	return !memcmp(name, package, sizeof(package) - 1);
}

/* Reads all frames before a search, which takes longer. While another thread runs, it reads them again. */
static void read_frames(struct search *search, uint64_t state, bool waits)
{
	const struct cpython *py = search->py;
	struct walk walk = {.next = 1, .left = 1};
	struct frame frame;
	struct state of;

	for (unsigned i = 0; i < TRIES_MAX && walk.next && walk.left && state_read(py, &of, state);
	     i++) {
		search->frames = 0;
		walk_open(&walk, py, of.frame);
		for (bool inner = waits; walk_on(&walk, &frame); inner = false) {
			uint64_t globals = cpython_peek_word(py, frame.at + py->at.frame_globals);

			if (is_pythons_own(py, globals))
				continue;
			if (inner && !called_in_vain(py, &frame))
				search->how = MPSAN_CHECKED_BY_SOURCE;
			search->frame[search->frames++ % FRAMES_MAX] =
				(struct kept){frame.code, globals};
		}
	}
}

enum mpsan_exit_check cpython_checks_exit(const struct cpython *py, uint64_t state, bool waits)
{
	struct search search = {.py = py, .left = OBJECTS_MAX};

	read_frames(&search, state, waits);
	for (unsigned i = 0; i < search.frames && i < FRAMES_MAX && is_unfinished(&search); i++) {
		struct frame frame = {.code = search.frame[i].code};

		if (!frame_read_code(py, &frame))
			continue;
		search.file = frame.file;
		if (cpython_string_ends(py, search.file, "/concurrent/futures/process.py"))
			search.how = MPSAN_CHECKED_BY_POOL;
		look_at(&search, frame.code, DEPTH_MAX);
		look_at_all(&search, search.frame[i].globals, true);
	}
	return search.how;
}
