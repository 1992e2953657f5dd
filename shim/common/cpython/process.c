/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises multiprocessing, threading and concurrent.futures on a thread's Python stack, by the
 * names of functions and files, and reads the objects that they work on.
 */
#include "process.h"

#include "reach.h"

#define BOOTSTRAP "<frozen importlib._bootstrap>"
#define ITEMS_MAX 64u /* looked at in one container */
/* nested containers; mp.spawn has its arguments in a tuple of tuples */
#define DEPTH_MAX 3u
#define BASES_MAX 64u
#define NEWEST_MINOR 15 /* whose containers' layout is known */

/* PyTypeObject and containers: the same in 3.8 to 3.15. */
#define FUNCTION_CODE 48 /* from 3.10 on */
#define FUNCTION_CODE_OLD 16
#define BOUND_FUNCTION \
	16 /* PyMethodObject.im_func; partial, property, staticmethod and classmethod have theirs there, too */
#define BOUND_SELF 24 /* PyMethodObject.im_self */
#define TYPE_IS_LIST (1u << 25)
#define TYPE_IS_TUPLE (1u << 26)
#define TYPE_IS_DICT (1u << 29)
#define SIZE 16

/* ---- frames ---- */

static bool launches(const struct cpython *py, const struct frame *frame)
{
	return cpython_string_ends(py, frame->name, "_launch") &&
	       (cpython_string_ends(py, frame->file, "popen_fork.py") ||
		cpython_string_ends(py, frame->file, "popen_spawn_posix.py") ||
		cpython_string_ends(py, frame->file, "popen_loky_posix.py"));
}

/*
 * Finds the Process that is being started: _launch(self, process_obj) calls os.fork, or
 * spawnv_passfds, itself. The resource tracker is started further up the same stack, and is not
 * that process.
 */
uint64_t cpython_starting(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	for (unsigned i = 0; i < 2 && walk_on(&walk, &frame); i++)
		if (launches(py, &frame))
			return frame_local(py, &frame, 1);
	return 0;
}

bool cpython_starts_server(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	for (unsigned i = 0; i < 2 && walk_on(&walk, &frame); i++)
		if (frame_is(py, &frame, "ensure_running", "multiprocessing/forkserver.py"))
			return true;
	return false;
}

uint64_t cpython_started(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame))
		if (frame_is(py, &frame, "_bootstrap", "process.py"))
			return frame_local(py, &frame, 0);
	return 0;
}

bool cpython_only_feeds(const struct cpython *py, uint64_t top)
{
	bool any = false;
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame)) {
		if (frame_is(py, &frame, "_feed", "queues.py"))
			return true;
		if (!cpython_string_ends(py, frame.file, "threading.py"))
			return false;
		any = true;
	}
	return any;
}

static bool find_feed(const struct cpython *py, uint64_t top, struct frame *frame)
{
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, frame))
		if (frame_is(py, frame, "_feed", "queues.py"))
			return true;
	return false;
}

/* _feed(buffer, notempty, send_bytes, ...): a method of the Connection, which has its descriptor as `_handle`. */
int cpython_fed(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	uint64_t sends = find_feed(py, top, &frame) ? frame_local(py, &frame, 2) : 0,
		 handle = sends ? cpython_attribute(py, cpython_member(py, sends, BOUND_SELF),
						    "_handle") :
				  0;

	return handle && cpython_is_a(py, handle, "int") ?
		       (int)cpython_member(py, handle, CPYTHON_INT_VALUE) :
		       -1;
}

/* Its argument onerror is the seventh, or the eighth where it has two for what to close. */
bool cpython_feeder_drops(const struct cpython *py, uint64_t top)
{
	struct frame frame, hook = {0};

	if (!find_feed(py, top, &frame))
		return false;
	for (unsigned i = 6; i <= 7 && !hook.code; i++)
		hook.code = cpython_code_called(py, frame_local(py, &frame, i));
	return hook.code && frame_read_code(py, &hook) &&
	       frame_is(py, &hook, "_on_queue_feeder_error", "multiprocessing/queues.py");
}

size_t cpython_process_name(const struct cpython *py, uint64_t process, char *text, size_t bytes)
{
	struct writer w = writer_open(text, bytes);
	uint64_t name = process ? cpython_attribute(py, process, "_name") : 0;

	if (name && cpython_type(py, name) == py->unicode_type)
		writer_string(&w, py, name);
	return writer_close(&w, bytes);
}

uint64_t cpython_code_of(const struct cpython *py, uint64_t function)
{
	unsigned member = py->at.minor >= 10 ? FUNCTION_CODE : FUNCTION_CODE_OLD;
	uint64_t code = function ? cpython_member(py, function, member) : 0;

	return code && cpython_type(py, code) == py->code_type ? code : 0;
}

uint64_t cpython_code_called(const struct cpython *py, uint64_t callable)
{
	uint64_t code = cpython_code_of(py, callable);

	return code || !callable ?
		       code :
		       cpython_code_of(py, cpython_member(py, callable, BOUND_FUNCTION));
}

bool cpython_loads_data(const struct cpython *py, uint64_t process)
{
	struct frame target = {
		.code = cpython_code_of(py, cpython_attribute(py, process, "_target"))};

	return target.code && frame_read_code(py, &target) &&
	       frame_is(py, &target, "_worker_loop", "_utils/worker.py");
}

#define CALLBACKS_MAX 16u
#define CALLED_FRAMES_MAX 16u

static unsigned callbacks_of(const struct cpython *py, uint64_t interp, uint64_t *code)
{
	uint64_t module = cpython_dict_search(
			 py, cpython_peek_word(py, interp + py->at.interp_modules), "gc"),
		 names = module ? cpython_member(py, module, CPYTHON_MODULE_DICT) : 0,
		 list = cpython_dict_find(py, names, "callbacks");
	unsigned count = list ? reach_all(py, list, code, CALLBACKS_MAX) : 0;

	for (unsigned i = 0; i < count; i++)
		code[i] = cpython_code_called(py, code[i]);
	return count;
}

bool cpython_collects(const struct cpython *py, const struct state *state)
{
	uint64_t code[CALLBACKS_MAX];
	unsigned count = callbacks_of(py, state->interp, code);
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, count ? state->frame : 0);
	for (unsigned at = 0; at < CALLED_FRAMES_MAX && walk_on(&walk, &frame); at++)
		for (unsigned i = 0; i < count; i++)
			if (code[i] == frame.code)
				return true;
	return false;
}

bool cpython_runs_main(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame)) {
		if (cpython_string_is(py, frame.file, BOOTSTRAP))
			return false;
		if (frame_is(py, &frame, "_fixup_main_from_path", "spawn.py") ||
		    frame_is(py, &frame, "_fixup_main_from_name", "spawn.py"))
			return true;
	}
	return false;
}

bool cpython_calls(const struct cpython *py, uint64_t top, const char *function, const char *file)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame))
		if (frame_is(py, &frame, function, file))
			return true;
	return false;
}

/* ---- waits ---- */

#define DEQUE_STATE 56 /* dequeobject.state: the number of changes */
#define SIMPLE_LOCK 16 /* simplequeueobject.lock */
#define AT_HAND_MAX 32u /* local variables, and the frame's stack after them */
#define WAITS_MAX 4u /* frames of threading and queue between a wait and its caller */

static bool is_zero(const struct cpython *py, uint64_t number)
{
	uint64_t size = cpython_member(py, number, CPYTHON_SIZE);

	return (py->at.minor < 12 ? size : size >> 3) == 0 ||
	       (uint32_t)cpython_member(py, number, CPYTHON_INT_VALUE) == 0;
}

enum cpython_queue cpython_awaited_queue(const struct cpython *py, uint64_t top)
{
	uint64_t queue = 0, items, unfinished;
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	for (unsigned i = 0; i < WAITS_MAX && !queue && walk_on(&walk, &frame); i++)
		if (frame_is(py, &frame, "get", "queue.py"))
			queue = frame_local(py, &frame, 0);
	unfinished = queue && py->at.minor <= NEWEST_MINOR ?
			     cpython_attribute(py, queue, "unfinished_tasks") :
			     0;
	if (!unfinished)
		return CPYTHON_QUEUE_NONE;
	items = cpython_attribute(py, queue, "queue");
	return is_zero(py, unfinished) && !(cpython_is_a(py, items, "collections.deque") &&
					    cpython_member(py, items, DEQUE_STATE)) ?
		       CPYTHON_QUEUE_NEW :
		       CPYTHON_QUEUE_USED;
}

bool cpython_awaits_simple(const struct cpython *py, uint64_t top, uint64_t lock)
{
	struct frame frame;
	struct walk walk;
	uint64_t object;

	walk_open(&walk, py, top);
	if (!walk_on(&walk, &frame))
		return false;
	for (unsigned i = 0; i < AT_HAND_MAX; i++) {
		object = frame_local(py, &frame, i);
		if ((!lock || cpython_member(py, object, SIMPLE_LOCK) == lock) &&
		    cpython_is_a(py, object, "_queue.SimpleQueue"))
			return true;
	}
	return false;
}

uint32_t cpython_joined(const struct cpython *py, uint64_t top)
{
	struct frame frame;
	struct walk walk;
	uint64_t number;

	walk_open(&walk, py, top);
	for (unsigned i = 0; i < WAITS_MAX && walk_on(&walk, &frame); i++) {
		if (!frame_is(py, &frame, "join", "threading.py"))
			continue;
		number = cpython_attribute(py, frame_local(py, &frame, 0), "_native_id");
		return number ? (uint32_t)cpython_member(py, number, CPYTHON_INT_VALUE) : 0;
	}
	return 0;
}

/* ---- arguments ---- */

static bool is_named(const struct cpython *py, uint64_t type, const char *name, const char *module)
{
	uint64_t at = cpython_member(py, type, CPYTHON_TYPE_NAME);
	size_t bytes = strlen(name) + 1;
	char text[16];

	return bytes <= sizeof(text) && cpython_peek(py, text, at, bytes) &&
	       !memcmp(text, name, bytes) &&
	       cpython_string_is(
		       py, cpython_dict_find(py, cpython_member(py, type, TYPE_DICT), "__module__"),
		       module);
}

/* Whether a type is derived from a torch module or parameter. */
static bool is_model(const struct cpython *py, uint64_t type)
{
	uint64_t bases = cpython_member(py, type, TYPE_MRO);
	uint64_t count = bases ? cpython_member(py, bases, SIZE) : 0;

	for (uint64_t i = 0; i < count && i < BASES_MAX; i++) {
		uint64_t base = cpython_peek_word(py, bases + py->at.tuple_items + 8 * i);

		if (is_named(py, base, "Module", "torch.nn.modules.module") ||
		    is_named(py, base, "Parameter", "torch.nn.parameter"))
			return true;
	}
	return false;
}

static unsigned items_of(const struct cpython *py, uint64_t object, uint64_t flags, uint64_t *item)
{
	uint64_t count = cpython_member(py, object, SIZE), at = object + py->at.tuple_items;

	if (flags & TYPE_IS_DICT)
		return cpython_dict_values(py, object, item, ITEMS_MAX);
	if (!(flags & (TYPE_IS_TUPLE | TYPE_IS_LIST)))
		return 0;
	if (flags & TYPE_IS_LIST)
		at = cpython_member(py, object, CPYTHON_LIST_ITEMS);
	if (count > ITEMS_MAX)
		count = ITEMS_MAX;
	return count && cpython_peek(py, item, at, 8 * count) ? (unsigned)count : 0;
}

unsigned cpython_awaited(const struct cpython *py, uint64_t top, uint64_t *object, unsigned most)
{
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	for (unsigned i = 0; i < WAITS_MAX && walk_on(&walk, &frame); i++) {
		if (!cpython_string_ends(py, frame.file, "concurrent/futures/_base.py"))
			continue;
		for (unsigned k = 0; k < most; k++)
			object[k] = frame_local(py, &frame, k);
		return most;
	}
	return 0;
}

unsigned cpython_task(const struct cpython *py, uint64_t top, uint64_t *object, unsigned most)
{
	uint64_t item[ITEMS_MAX];
	unsigned count = 0, waiters;
	struct frame frame;
	struct walk walk;

	walk_open(&walk, py, top);
	while (walk_on(&walk, &frame) && !count)
		if (frame_is(py, &frame, "run", "concurrent/futures/thread.py"))
			object[count++] =
				cpython_attribute(py, frame_local(py, &frame, 0), "future");
	if (!count || !*object || py->at.minor > NEWEST_MINOR)
		return 0;
	waiters = items_of(py, cpython_attribute(py, *object, "_waiters"), TYPE_IS_LIST, item);
	for (unsigned i = 0; i < waiters && count < most; i++)
		object[count++] = item[i];
	return count;
}

typedef bool is_wanted(const struct cpython *py, uint64_t object);

static uint64_t find_wanted(const struct cpython *py, uint64_t object, unsigned depth,
			    is_wanted *is)
{
	uint64_t type = object ? cpython_type(py, object) : 0;
	uint64_t item[ITEMS_MAX], found = 0;
	unsigned count;

	if (!type)
		return 0;
	count = depth ? items_of(py, object, cpython_peek_word(py, type + py->at.type_flags),
				 item) :
			0;
	if (!count)
		return is(py, object) ? object : 0;
	for (unsigned i = 0; i < count && !found; i++)
		found = find_wanted(py, item[i], depth - 1, is);
	return found;
}

/* Among the arguments of the target of a Process. */
static uint64_t find_argument(const struct cpython *py, uint64_t process, is_wanted *is)
{
	uint64_t found = 0;

	if (!process || py->at.minor > NEWEST_MINOR)
		return 0;
	found = find_wanted(py, cpython_attribute(py, process, "_args"), DEPTH_MAX, is);
	return found ? found :
		       find_wanted(py, cpython_attribute(py, process, "_kwargs"), DEPTH_MAX, is);
}

static bool is_model_object(const struct cpython *py, uint64_t object)
{
	return is_model(py, cpython_type(py, object));
}

uint64_t cpython_model(const struct cpython *py, uint64_t process, char *type, size_t bytes)
{
	struct writer w = writer_open(type, bytes);
	uint64_t object = find_argument(py, process, is_model_object), at;
	char c;

	at = object ? cpython_type(py, object) : 0;
	at = at ? cpython_member(py, at, CPYTHON_TYPE_NAME) : 0;
	while (w.at < w.end && cpython_peek(py, &c, at++, 1) && c)
		writer_byte(&w, (unsigned char)c);
	writer_close(&w, bytes);
	return object;
}

static bool is_let_go(const struct cpython *py, uint64_t object)
{
	uint64_t cancelled = cpython_attribute(py, object, "_joincancelled"), feeder;

	if (!cancelled || is_zero(py, cancelled))
		return false;
	feeder = cpython_attribute(py, object, "_thread");
	return feeder && feeder != py->none;
}

bool cpython_lets_go(const struct cpython *py, uint64_t process)
{
	return find_argument(py, process, is_let_go);
}
