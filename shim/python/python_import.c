/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread's Python frames tell about imports and forks. In all versions imports run in
 * importlib's frozen _bootstrap: _find_and_load(name, import_) takes the module's _ModuleLock,
 * _find_and_load_unlocked(name, import_) loads while it is held, and _ModuleLock.acquire(self)
 * waits for another thread that holds it.
 */
#include <stdatomic.h>

#include "../common/cpython/lock.h"
#include "../common/hash.h"
#include "python.h"
#include "python_self.h"

#define IMPORTS_MAX 8 /* reported per thread */
#define NAME_BYTES 256
#define PREEXEC_DEPTH 8
#define BOOTSTRAP "<frozen importlib._bootstrap>"
#define LOADING "_find_and_load_unlocked" /* and not a thread that waits in _find_and_load */

uint64_t python_module_hash(const char *name)
{
	uint64_t hash = hash_text(HASH_EMPTY, name);

	hash = (hash ^ hash >> 47) & ((1ull << 47) - 1);
	return hash ? hash : 1;
}

/*
 * Reads a module's name, always truncated to NAME_BYTES, so that its hash is the same for all
 * readers.
 */
static uint64_t read_name(uint64_t object, char *name)
{
	struct writer w = writer_open(name, NAME_BYTES);

	writer_string(&w, &python.py, object);
	writer_close(&w, NAME_BYTES);
	return python_module_hash(name);
}

/* ---- who imports ---- */

/*
 * What importlib keeps for the life of an interpreter: the code of the loading function, and the
 * dictionary of module locks, which is empty while no thread imports. Filled in at the first
 * question. If threads of two interpreters mix these words, imports are missed or a frame is
 * examined in vain: each match is checked again.
 */
static struct {
	_Atomic uint64_t interp, locks, code;
} importlib;

/*
 * A function's code object: the only code object among its first members, whose order has changed.
 */
static uint64_t code_of(uint64_t function)
{
	uint64_t member[8];

	if (!cpython_peek(&python.py, member, function + 16, sizeof(member)))
		return 0;
	for (unsigned i = 0; i < 8; i++)
		if (member[i] && cpython_type(&python.py, member[i]) == python.py.code_type)
			return member[i];
	return 0;
}

static bool importlib_learn(uint64_t interp)
{
	const struct cpython *py = &python.py;
	uint64_t modules = cpython_peek_word(py, interp + py->at.interp_modules);
	uint64_t module = cpython_dict_find(py, modules, "_frozen_importlib");
	uint64_t names = module ? cpython_member(py, module, CPYTHON_MODULE_DICT) : 0;
	uint64_t locks = cpython_dict_find(py, names, "_module_locks");
	uint64_t code = code_of(cpython_dict_find(py, names, LOADING));

	if (!locks || !code)
		return false;
	atomic_store_explicit(&importlib.locks, locks, memory_order_relaxed);
	atomic_store_explicit(&importlib.code, code, memory_order_relaxed);
	atomic_store_explicit(&importlib.interp, interp, memory_order_release);
	return true;
}

static bool somebody_imports(uint64_t interp)
{
	uint64_t locks;

	if (atomic_load_explicit(&importlib.interp, memory_order_acquire) != interp &&
	    !importlib_learn(interp))
		return false;
	locks = atomic_load_explicit(&importlib.locks, memory_order_relaxed);
	return cpython_member(&python.py, locks, CPYTHON_DICT_USED) != 0;
}

bool python_somebody_imports(void)
{
	struct state own;

	return python_own_state(&own) && somebody_imports(own.interp);
}

unsigned python_imports(uint64_t pthread,
			void (*see)(uint64_t hash, const char *name, void *context), void *context)
{
	unsigned seen = 0;
	char name[NAME_BYTES];
	struct state own;
	struct frame frame;
	struct walk walk;

	if (!python_own_state(&own) || !somebody_imports(own.interp))
		return 0;
	walk_open(&walk, &python.py, python_frame_of(&own, pthread));
	while (seen < IMPORTS_MAX && walk_step(&walk, &frame)) {
		if (frame.code != atomic_load_explicit(&importlib.code, memory_order_relaxed) ||
		    !frame_read_code(&python.py, &frame) || !frame.shown ||
		    !frame_is(&python.py, &frame, LOADING, BOOTSTRAP))
			continue;
		see(read_name(frame_local(&python.py, &frame, 0), name), name, context);
		seen++;
	}
	return seen;
}

/* ---- what the caller does ---- */

/* The innermost frame that Python would show; false: none. */
static bool innermost(struct walk *walk, struct frame *frame)
{
	struct state own;

	if (!python_own_state(&own))
		return false;
	walk_open(walk, &python.py, own.frame);
	return walk_on(walk, frame);
}

uint64_t python_awaited_import(char *name, size_t bytes)
{
	char whole[NAME_BYTES];
	struct writer w = writer_open(name, bytes);
	struct state own;
	uint64_t hash;

	if (!python_own_state(&own) ||
	    !cpython_awaited_import(&python.py, own.frame, whole, sizeof(whole)))
		return 0;
	hash = python_module_hash(whole);
	for (const char *c = whole; *c; c++)
		writer_byte(&w, (unsigned char)*c);
	writer_close(&w, bytes);
	return hash;
}

static bool is_threading_wait(const struct frame *frame)
{
	return frame_is(&python.py, frame, "wait", "threading.py");
}

/*
 * Event.wait calls Condition.wait, and so do others; the caller of Event.wait must not be threading
 * itself.
 */
bool python_waits_for_event(void)
{
	struct frame frame;
	struct walk walk;

	return innermost(&walk, &frame) && is_threading_wait(&frame) && walk_on(&walk, &frame) &&
	       is_threading_wait(&frame) && walk_on(&walk, &frame) &&
	       !cpython_string_ends(&python.py, frame.file, "threading.py");
}

/* _execute_child(self, args, executable, preexec_fn, ...) in all versions. */
bool python_is_preexec(void)
{
	struct frame frame;
	struct walk walk;
	uint64_t function;

	if (!innermost(&walk, &frame))
		return false;
	for (unsigned i = 0; i < PREEXEC_DEPTH; i++) {
		if (frame_is(&python.py, &frame, "_execute_child", "subprocess.py")) {
			function = frame_local(&python.py, &frame, 3);
			return function && function != python.py.none;
		}
		if (!walk_on(&walk, &frame))
			break;
	}
	return false;
}

/* ---- marks ---- */

/* The current instruction as a frame stores it, by which it moves on before the frame is left. */
static uint64_t instr_of(uint64_t frame)
{
	const struct cpython *py = &python.py;
	uint64_t word = cpython_peek_word(py, frame + py->at.frame_instr);

	return py->at.minor < 11 ? (uint32_t)word : word;
}

bool python_mark(struct python_mark *mark)
{
	struct frame frame;
	struct walk walk;

	if (!innermost(&walk, &frame))
		return false;
	*mark = (struct python_mark){frame.at, instr_of(frame.at)};
	return true;
}

bool python_in_mark(const struct python_mark *mark)
{
	return instr_of(mark->frame) == mark->instr;
}

bool python_above_mark(const struct python_mark *mark)
{
	struct frame frame;
	struct walk walk;
	bool found = innermost(&walk, &frame) && frame.at != mark->frame;

	while (found && frame.at != mark->frame)
		found = walk_on(&walk, &frame);
	return found && python_in_mark(mark);
}
