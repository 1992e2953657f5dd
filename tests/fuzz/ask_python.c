/* All that the command and the library ask of a Python thread. */
#include "ask_python.h"

#include <stdlib.h>
#include <string.h>

#include "../../shim/common/cpython/at_hand.h"
#include "../../shim/common/cpython/exception.h"
#include "../../shim/common/cpython/name.h"
#include "../../shim/common/cpython/process.h"
#include "../../shim/common/cpython/taker.h"
#include "../../tools/proc/proc.h"
#include "../../tools/symbols/pyview.h"

#define MOST 8u

const char *const image_symbols[7] = {"Py_Version",    "_PyRuntime",	 "PyType_Type",
				      "PyCode_Type",   "PyUnicode_Type", "PyBytes_Type",
				      "_Py_NoneStruct"};

/* On the heap, and no longer than it is said to be: what is written behind it is seen. */
struct room {
	char *text;
	size_t bytes;
};

static struct room room_of(size_t bytes)
{
	return (struct room){malloc(bytes), bytes};
}

static void check(const struct room *room, size_t length)
{
	if (length > room->bytes)
		abort();
}

/* ---- by the command ---- */

static void ask_stack(struct pyview *view, uint64_t pthread, uint64_t address, struct room *room)
{
	check(room, pyview_stack(view, pthread, room->text, room->bytes));
	check(room, pyview_raised(view, pthread, room->text, room->bytes));
	check(room, pyview_name(view, pthread, room->text, room->bytes));
	check(room, pyview_function(view, pthread, room->text, room->bytes));
	check(room, pyview_lock_name(view, pthread, address, false, room->text, room->bytes));
	check(room, pyview_lock_name(view, pthread, address, true, room->text, room->bytes));
	check(room, pyview_lock_taken(view, pthread, address, room->text, room->bytes));
	check(room, pyview_handler(view, 2, room->text, room->bytes));
}

static void ask_process(struct pyview *view, uint64_t pthread)
{
	pyview_joined(view, pthread);
	pyview_joined_child(view, pthread);
	pyview_child_limit(view, pthread);
	pyview_interpreter(view, pthread);
	pyview_pool_is_short(view, pthread);
	pyview_pool_works_on(view, pthread);
	pyview_thread_ended(view, pthread);
	pyview_worker_ended(view, pthread);
	pyview_is_foreign(view, pthread);
	pyview_only_thread(view);
	pyview_gil_holder(view);
}

static void ask_wait(struct pyview *view, uint64_t pthread, uint64_t address)
{
	uint64_t object[MOST], semaphore = pyview_semaphore(view, pthread);

	pyview_awaited_queue(view, pthread);
	pyview_awaits_condition(view, pthread);
	pyview_condition_is_of(view, pthread, view);
	pyview_awaits_simple(view, pthread, address);
	pyview_had_permits(view, semaphore);
	pyview_in_with_of(view, pthread, semaphore);
	if (pyview_awaited(view, pthread, object, MOST) > MOST ||
	    pyview_task(view, pthread, object, MOST) > MOST)
		abort();
}

static void ask_lock(struct pyview *view, uint64_t pthread, uint64_t address)
{
	uint64_t parked = pyview_parked(view, pthread, address);

	address = parked ? parked : address;
	pyview_lock_joined(view, pthread, address);
	pyview_lock_ends_with(view, pthread, address);
	pyview_lock_at_end(view, pthread);
	pyview_lock_owner(view, pthread, address);
	pyview_taker(view, pthread, address, false);
	pyview_taker(view, pthread, address, true);
	pyview_lock_in_with(view, pthread, address);
	pyview_lock_keeps_shared(view, pthread, address, 1);
	pyview_lock_enters_shared(view, pthread, address);
	pyview_lock_is_of_queue(view, pthread);
}

static void ask_ranks(struct pyview *view, uint64_t pthread)
{
	uint32_t *rank = malloc(MOST * sizeof(*rank));

	pyview_rank(view, pthread);
	if (pyview_members(view, pthread, rank, MOST) > MOST)
		abort();
	free(rank);
}

static void ask_view(struct pyview *view, const struct image_head *head, struct room *room)
{
	ask_stack(view, head->pthread, head->address, room);
	ask_process(view, head->pthread);
	ask_wait(view, head->pthread, head->address);
	ask_lock(view, head->pthread, head->address);
	ask_ranks(view, head->pthread);
}

/* ---- by the library ---- */

static long peek(const struct cpython *py, void *to, uint64_t from, size_t bytes)
{
	return proc_read((uint32_t)py->pid, from, to, bytes);
}

static void ask_block(const struct cpython *py, const struct cpython_lock *lock,
		      const struct frame *frame, const struct with_block *block, void *context)
{
	struct room *room = context;
	struct cpython_taker taker;

	with_line(py, frame, block);
	check(room, with_text(py, frame, block, room->text, room->bytes));
	with_is_of(py, block, "threading.py");
	cpython_lock_owner(py, lock);
	cpython_taker(py, frame->at, lock, &taker);
	check(room, cpython_taker_text(py, &taker, room->text, room->bytes));
}

static void ask_starter(const struct cpython *py, uint64_t top, struct room *room)
{
	uint64_t process[] = {cpython_starting(py, top), cpython_started(py, top)};

	for (unsigned i = 0; i < 2; i++) {
		check(room, cpython_process_name(py, process[i], room->text, room->bytes));
		cpython_loads_data(py, process[i]);
		check(room, cpython_model(py, process[i], room->text, room->bytes));
	}
	cpython_only_feeds(py, top);
	cpython_fed(py, top);
	cpython_feeder_drops(py, top);
	cpython_runs_main(py, top);
	cpython_calls(py, top, "run", "threading.py");
	cpython_role(py, top);
	cpython_awaited_lock(py, top);
}

static void ask_exceptions(const struct cpython *py, uint64_t at, const struct state *state,
			   struct room *room)
{
	uint64_t object[] = {cpython_handled(py, at), cpython_uncaught(py, state->interp)};
	struct cpython_exception exception, before;

	for (unsigned i = 0; i < 2; i++) {
		if (!cpython_exception_read(py, &exception, object[i]))
			continue;
		cpython_exception_before(py, &before, &exception);
		check(room, cpython_exception_type(py, &exception, room->text, room->bytes));
		check(room, cpython_exception_text(py, &exception, room->text, room->bytes));
		check(room, cpython_exception_frames(py, &exception, room->text, room->bytes));
		cpython_exception_place(py, &exception);
		cpython_cleans_up(py, &exception, state->frame, state->interp);
		cpython_exception_is_parents(py, &exception, state->frame);
		cpython_exception_caught(py, &exception);
	}
}

static void ask_state(const struct cpython *py, uint64_t at, uint64_t address, struct room *room)
{
	struct state state;
	uint64_t file = 0, object = 0;

	if (!at || !state_read(py, &state, at))
		return;
	cpython_held(py, state.frame, ask_block, room);
	ask_starter(py, state.frame, room);
	ask_exceptions(py, at, &state, room);
	check(room,
	      cpython_called_text(py, state.frame, address, 0, room->text, room->bytes, &object));
	check(room, cpython_lock_name(py, &state, address, object, true, room->text, room->bytes));
	cpython_collects(py, &state);
	cpython_standard_file(py, &state, address, &file);
	cpython_file_owner(py, &state, address);
}

static struct cpython describe(uint32_t pid, const struct image_head *head)
{
	return (struct cpython){.peek = peek,
				.pid = (int)pid,
				.version = head->version,
				.runtime = head->symbol[1],
				.type_type = head->symbol[2],
				.code_type = head->symbol[3],
				.unicode_type = head->symbol[4],
				.bytes_type = head->symbol[5],
				.none = head->symbol[6]};
}

void ask_python(uint32_t pid, const struct image_head *head)
{
	struct room room = room_of(64 + head->address % 512);
	struct cpython py = describe(pid, head);
	struct pyview *view = pyview_open((pid_t)pid);

	if (view)
		ask_view(view, head, &room);
	free(view);
	if (!cpython_describe(&py))
		ask_state(&py, cpython_find_thread(&py, head->pthread, NULL), head->address, &room);
	free(room.text);
}
