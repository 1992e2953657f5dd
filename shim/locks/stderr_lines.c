/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints proven waits and refused unlocks on standard error, and keeps what is needed for that
 * about the fork that created this process.
 */
#include "stderr_lines.h"

#include <stddef.h>

#include "../common/lock_kind.h"
#include "../common/proof_rule.h"
#include "../common/wait_rule.h"
#include "../intercept/elf.h"
#include "../intercept/sys.h"
#include "../record/finding_line.h"
#include "../record/log.h"
#include "../record/state.h"
#include "../record/thread.h"

#define PLACES 32u /* of call sites, each reported once */
#define LEFT 16u
#define OBJECTS_MAX 4096 /* in the loader's list */

/* The fork that created this process. */
struct origin {
	uint32_t by; /* PID of the forking process; 0: none */
	bool preexec;
	uint32_t count;
	uint64_t began[PLACES]; /* start routines of the other threads, and their creators */
};

/* of the newest fork in this memory, and of the one that created this process */
STATE static struct origin next;
static struct origin mine;
static uint64_t left[LEFT];
static uint32_t left_count, left_by;

static void note_place(struct origin *origin, uint64_t code)
{
	for (uint32_t i = 0; i < origin->count; i++)
		if (origin->began[i] == code)
			return;
	if (code && origin->count < PLACES)
		origin->began[origin->count++] = code;
}

static void note_thread(struct mpsan_thread *t, void *context)
{
	if (t->tid == thread_tid())
		return;
	note_place(context, t->entry);
	note_place(context, t->creator_caller);
}

void print_before_fork(bool preexec, uint32_t threads)
{
	if (life.quiet)
		return;
	if (next.by && next.by != life.pid)
		mine = next;
	next = (struct origin){.by = life.pid, .preexec = preexec};
	if (threads != 1)
		thread_each(note_thread, &next);
}

static const struct origin *origin(void)
{
	return next.by && next.by != life.pid ? &next : &mine;
}

void print_left(uint64_t lock)
{
	if (left_by != life.pid)
		left_count = 0;
	left_by = life.pid;
	if (!life.quiet && left_count < LEFT)
		left[left_count++] = lock;
}

static bool was_left(uint64_t lock)
{
	for (uint32_t i = 0; left_by == life.pid && i < left_count; i++)
		if (left[i] == lock)
			return true;
	return false;
}

static bool began_within(const struct elf_object *object)
{
	const struct origin *from = origin();

	for (uint32_t i = 0; i < from->count; i++)
		if (from->began[i] >= object->base && from->began[i] < object->end)
			return true;
	return false;
}

/* Whether code lies in a library whose threads were not copied. */
static bool is_in_pool(uint64_t code)
{
	const struct link_map *at = _r_debug.r_map;
	struct elf_object object;
	struct link_map map;
	char path[512];

	for (int i = 0; at && i < OBJECTS_MAX && sys_peek(&map, at, sizeof(map)) == sizeof(map);
	     i++, at = map.l_next) {
		long bytes;

		if (!elf_describe(&map, &object) || code < object.base || code >= object.end)
			continue;
		bytes = sys_peek(path, map.l_name, sizeof(path) - 1);
		path[bytes > 0 ? bytes : 0] = '\0';
		return wait_is_library(path) && began_within(&object);
	}
	return false;
}

static enum rule_id rule_of(const struct ev_wait *w)
{
	struct wait_case wait = {.kind = w->kind,
				 .flags = w->flags,
				 .reason = w->reason,
				 .was_left = was_left(w->lock),
				 .preexec = life.forked && origin()->preexec};

	wait.in_pool = w->reason == MPSAN_WAIT_ALONE && is_in_pool(w->caller);
	return wait_rule(&wait);
}

/* A line of stack_python: function TAB file TAB number. */
struct frame_line {
	const char *function, *file, *number, *end;
};

static const char *find(const char *text, char c)
{
	while (*text && *text != c)
		text++;
	return text;
}

static struct frame_line frame_line(const char *text)
{
	struct frame_line line = {.function = text, .file = find(text, '\t')};

	line.number = find(line.file + !!*line.file, '\t');
	line.end = find(line.number, '\n');
	return line;
}

/* Whether a file belongs to Python or to a package that was installed. */
static bool is_library_file(const char *file, const char *end)
{
	for (; file < end; file++)
		if (text_starts(file, "/lib/python3") || text_starts(file, "<frozen "))
			return true;
	return false;
}

/* The innermost frame of the program itself; if there is none, the innermost one. */
static struct frame_line place_of(const char *frames)
{
	struct frame_line line, first = frame_line(frames);

	for (line = first; *line.end; line = frame_line(line.end + 1))
		if (!is_library_file(line.file, line.number))
			return line;
	return first;
}

static char *put_piece(char *to, const char *end, const char *piece, const char *piece_end)
{
	while (piece < piece_end && to < end - 1)
		*to++ = *piece++;
	*to = '\0';
	return to;
}

/* " at work (train.py:12)", or nothing. */
static void put_place(char *to, char *end, uint64_t python)
{
	struct frame_line line = place_of(log_text_at(python) ?: "");
	const char *base = line.file;

	*to = '\0';
	if (!*line.number)
		return;
	for (const char *c = line.file; c < line.number; c++)
		base = *c == '/' || *c == '\t' ? c + 1 : base;
	to = text_put(to, end, " at ");
	to = put_piece(to, end, line.function, line.file);
	to = text_put(to, end, " (");
	to = put_piece(to, end, base, line.number);
	to = text_put(to, end, ":");
	to = put_piece(to, end, line.number + 1, line.end);
	text_put(to, end, ")");
}

/* ", taken at enter (train.py:8)", of a lock that this thread has itself; or nothing. */
static void put_taken(char *to, char *end, const struct ev_wait *w)
{
	const struct mpsan_record *r =
		w->held && w->held_slot == life.slot ?
			log_record_at(w->held, sizeof(*r) + sizeof(struct ev_held)) :
			NULL;
	char *at = text_put(to, end, ", taken");

	put_place(at, end, r ? ((const struct ev_held *)(r + 1))->taken : 0);
	if (!*at)
		*to = '\0';
}

/* Whose lock it is, and why that one does not release it. */
static const char *owner_text(const struct ev_wait *w)
{
	switch (w->reason) {
	case MPSAN_WAIT_ORPHAN:
		return w->held ? ", which the fork did not copy" :
				 ", which is no thread of this process";
	case MPSAN_WAIT_OWN:
		return " is held by this thread, whose ID changed at the fork";
	case MPSAN_WAIT_TEAM:
		return " lost its threads at the fork";
	default:
		return w->owner ? " is held by this thread" :
				  ": no thread is left that could wake this one";
	}
}

void print_wait(const struct ev_wait *w, const char *name)
{
	char owner[16] = "", lock[24] = "", place[160], taken[160] = "";
	bool orphan = w->owner && w->reason == MPSAN_WAIT_ORPHAN;
	const char *const text[] = {*name ? name : lock_kind_text(w->kind, w->flags),
				    lock,
				    orphan ? " is held by thread " : "",
				    owner,
				    owner_text(w),
				    taken,
				    "; this wait",
				    place,
				    w->flags & MPSAN_LF_TIMED ? " cannot succeed" : " cannot end",
				    NULL};

	if (life.quiet || !mpsan_wait_is_proof(w))
		return;
	if (orphan)
		text_put_number(owner, owner + sizeof(owner), w->owner, 10);
	if (!*name)
		text_put_number(text_put(lock, lock + sizeof(lock), " 0x"), lock + sizeof(lock),
				w->lock, 16);
	put_place(place, place + sizeof(place), w->python);
	if (w->reason == MPSAN_WAIT_SELF)
		put_taken(taken, taken + sizeof(taken), w);
	finding_line(rule_of(w), text);
}

void print_unlock(const struct ev_unlock_failed *unlock)
{
	char owner[16], lock[24];
	const char *const text[] = {
		lock_kind_text(unlock->kind, unlock->flags),
		" 0x",
		lock,
		" was taken before the fork, by thread ",
		owner,
		" of the parent; this unlock fails (EPERM), and it stays locked",
		NULL};

	text_put_number(owner, owner + sizeof(owner), unlock->owner, 10);
	text_put_number(lock, lock + sizeof(lock), unlock->lock, 16);
	finding_line_at(proof_rule_unlock(unlock->flags), unlock->caller, text);
}
