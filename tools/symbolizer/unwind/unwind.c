/* SPDX-License-Identifier: Apache-2.0 */
/* Steps up a stack by unwind tables, and by guesses where there are none: see walk.h. */
#include "unwind.h"

#include <string.h>
#include <sys/syscall.h>

#include "../../base/filtered.h"
#include "machine_code.h"
#include "unwind_alike.h"
#include "walk.h"

#define READS_PER_STEP 64 /* charged for a step even if it reads nothing */

/* Is a stub of the procedure linkage table there? */
static bool is_stub(struct walk *walk, uint64_t address)
{
	uint8_t code[CODE_STUB_BYTES];

	return walk_read_code(walk, address, code, sizeof(code)) && code_is_stub(code);
}

enum call {
	CALL_NONE, /* no call instruction ends here */
	CALL_SOMEWHERE, /* indirect, or through a stub: its target is not known */
	CALL_ELSEWHERE, /* of another function */
	CALL_HERE, /* of `function` */
};

/* The call that returns to `pc`; what it calls, if it is CALL_ELSEWHERE. */
static enum call read_call(struct walk *walk, uint64_t pc, uint64_t function, uint64_t *target)
{
	uint8_t code[CODE_CALL_BYTES];
	int64_t distance;
	enum code_call call;

	if (!walk_read_code(walk, pc - sizeof(code), code, sizeof(code)))
		return CALL_NONE;
	call = code_call_that_ends(code, &distance);
	if (call != CODE_CALL_DIRECT)
		return call == CODE_CALL_INDIRECT ? CALL_SOMEWHERE : CALL_NONE;
	*target = pc + (uint64_t)distance;
	if (*target == function)
		return CALL_HERE;
	return is_stub(walk, *target) ? CALL_SOMEWHERE : CALL_ELSEWHERE;
}

/* The frame that a frame pointer `fp` would stand for. */
struct frame {
	uint64_t caller_fp;
	uint64_t pc;
	enum call call;
	uint64_t target; /* of CALL_ELSEWHERE */
};

/* False when `fp` cannot be a frame pointer. */
static bool read_frame(struct walk *walk, uint64_t fp, struct frame *frame)
{
	if (fp % 8 || !walk_read_stack(walk, fp, &frame->caller_fp) ||
	    !walk_read_saved(walk, fp + 8, &frame->pc))
		return false;
	frame->call = read_call(walk, frame->pc, walk->function, &frame->target);
	return frame->call != CALL_NONE;
}

/* Goes to where a frame returns to. Only three registers are known then. */
static bool walk_to(struct walk *walk, const struct frame *frame, uint64_t sp)
{
	walk->regs[REG_FRAME] = frame->caller_fp;
	walk->regs[REG_STACK] = sp;
	/* A cursor takes its first address as it is, not as one behind a call. */
	walk->regs[REG_CODE] = frame->pc - 1;
	walk->valid = 1ull << REG_FRAME | 1ull << REG_STACK | 1ull << REG_CODE;
	walk->pc = frame->pc;
	return walk_start(walk);
}

/* Leaves a frame without a table by its frame pointer. */
static bool step_by_frame(struct walk *walk)
{
	unw_word_t fp;
	struct frame frame;

	return unw_get_reg(&walk->cursor, REG_FRAME, &fp) >= 0 && fp >= walk->sp &&
	       read_frame(walk, fp, &frame) && walk_to(walk, &frame, fp + 16);
}

/* Steps by table, or by frame pointer where there is none. False: no caller, or none found. */
static bool walk_step(struct walk *walk)
{
	uint64_t sp = walk->sp, pc = walk->pc;
	int result;

	walk->blind = false;
	walk->frame_wanted = false;
	walk->link_wanted = false;
	walk->outermost = false;
	walk->reads += READS_PER_STEP;
	if (walk->reads > READS_MAX)
		return false;
	result = unw_step(&walk->cursor);
	walk->outermost = result == 0;
	if (result < 0 && walk->blind)
		return step_by_frame(walk);
	if (result <= 0)
		return false;
	if (unw_get_reg(&walk->cursor, UNW_REG_IP, &walk->pc) < 0 ||
	    unw_get_reg(&walk->cursor, REG_STACK, &walk->sp) < 0)
		return false;
	/* A function that keeps its return address in a register may have no frame. */
	return walk->pc && (walk->sp > sp || (CODE_LINK && walk->sp == sp && walk->pc != pc));
}

/* Why a slot is taken for the frame of the cursor's function, best reason first. */
enum fit {
	FIT_CALLED_IT, /* the caller there calls this very function */
	FIT_LEADS_OUT, /* from there the stack can be followed to its outermost frame */
	FIT_POINTS_UP, /* the pointer there leads up the stack, or ends the chain with 0 or 1 */
	FIT_COUNT
};

static void set_frame(struct walk *walk, uint64_t fp)
{
	walk->regs[REG_FRAME] = fp;
	walk->valid |= 1ull << REG_FRAME;
}

static void go_back(struct walk *walk, const struct walk *saved)
{
	unsigned reads = walk->reads; /* stay spent */

	*walk = *saved;
	walk->reads = reads;
}

/* Whether the stack can be followed from here to its outermost frame. */
static bool leads_out(struct walk *walk)
{
	struct walk saved = *walk;
	bool out;

	while (walk_step(walk))
		;
	out = walk->outermost;
	go_back(walk, &saved);
	return out;
}

static bool frame_leads_out(struct walk *walk, uint64_t fp)
{
	uint64_t unknown = walk->regs[REG_FRAME], valid = walk->valid;
	bool out;

	set_frame(walk, fp);
	out = leads_out(walk);
	walk->regs[REG_FRAME] = unknown;
	walk->valid = valid;
	return out;
}

static bool frame_fits(struct walk *walk, uint64_t fp, uint64_t end, enum fit fit)
{
	struct frame frame;

	if (!read_frame(walk, fp, &frame) || frame.call == CALL_ELSEWHERE)
		return false;
	if (fit == FIT_CALLED_IT)
		return frame.call == CALL_HERE;
	if (fit == FIT_LEADS_OUT)
		return frame_leads_out(walk, fp);
	return frame.caller_fp <= 1 || (frame.caller_fp > fp && frame.caller_fp < end);
}

/*
 * A thread seen from outside gives only its stack pointer and program counter. When the frame
 * pointer is needed then, it is looked for on the stack: the lowest slot that fits for the best
 * reason. The lowest that fits at all would not do, since locals never written hold old frames.
 */
static bool guess_frame(struct walk *walk)
{
	uint64_t start = (walk->sp + 7) & ~7ull;
	uint64_t end = walk->head->regs[REG_STACK] + walk->head->bytes;

	for (enum fit fit = 0; fit < FIT_COUNT; fit++) {
		for (uint64_t fp = start; fp < end && end - fp >= 16; fp += 8) {
			if (!frame_fits(walk, fp, end, fit))
				continue;
			set_frame(walk, fp);
			return true;
		}
	}
	return false;
}

/*
 * A function that calls no other leaves its return address in the link register, which is not known
 * of a thread seen from outside. But where its frame ends, its caller's record of two words begins:
 * the frame pointer, where most functions' stack pointer is, and the return address of that caller,
 * of which the call before it tells what function it is.
 */
static bool step_by_record(struct walk *walk)
{
	struct walk saved = *walk;
	struct frame frame;
	unw_word_t end;

	/* Any address will do: the step is for the end of the frame. */
	walk->regs[CODE_LINK] = walk->regs[REG_CODE];
	walk->valid |= 1ull << CODE_LINK;
	walk_start(walk); /* the step that failed has changed the cursor */
	if (unw_step(&walk->cursor) > 0 && unw_get_reg(&walk->cursor, REG_STACK, &end) >= 0 &&
	    read_frame(walk, end, &frame) && frame.caller_fp > end &&
	    walk_to(walk, &frame, frame.caller_fp)) {
		walk->between = frame.call == CALL_ELSEWHERE ? frame.target + 1 : 0;
		if (leads_out(walk))
			return true;
	}
	go_back(walk, &saved);
	return false;
}

/* Moves to the caller. A step that lacked the frame pointer left the cursor where it was: it can be tried again. */
static bool walk_up(struct walk *walk)
{
	return walk_step(walk) || (walk->frame_wanted && guess_frame(walk) && walk_step(walk)) ||
	       (walk->link_wanted && step_by_record(walk));
}

/* The vdso is no file, so that its code cannot be read. */
static bool is_in_vdso(const struct walk *walk)
{
	const struct module *module = modules_find(walk->modules, walk->pc);

	return module && module_is_vdso(module);
}

static bool is_handlers_end(struct walk *walk)
{
	uint8_t code[sizeof(code_signal_return)];

	if (CODE_RETURNS_IN_VDSO && is_in_vdso(walk))
		return true;
	return walk_read_code(walk, walk->pc, code, sizeof(code)) &&
	       !memcmp(code, code_signal_return, sizeof(code));
}

/*
 * The signal of the handler that returns to this frame; 0: none does. A handler's signal is blocked
 * while it runs; if others are, too, the siginfo tells, if it has been asked for.
 */
static uint8_t walk_signal(struct walk *walk)
{
	uint64_t before, info = 0, since;

	if (!is_handlers_end(walk))
		return 0;
	if (!(walk->head->valid & MPSAN_STACK_BLOCKED) ||
	    !walk_read_stack(walk, walk->sp + CODE_BLOCKED_AT, &before))
		return UNWIND_SIGNAL;
	since = walk->blocked & ~before;
	walk->blocked = before;
	if (since && !(since & (since - 1)))
		return (uint8_t)(__builtin_ctzll(since) + 1);
	walk_read_stack(walk, walk->sp + CODE_SIGINFO_AT, &info);
	info = (uint32_t)info;
	return info && info <= 64 && since >> (info - 1) & 1 ? (uint8_t)info : UNWIND_SIGNAL;
}

static size_t unwind_anew(const struct unwind_question *question, uint64_t *pcs, uint8_t *signals)
{
	const uint64_t needed = 1ull << REG_CODE | 1ull << REG_STACK;
	const struct mpsan_stack *head = question->head;
	struct walk walk = {
		.modules = question->modules,
		.head = head,
		.bytes = question->bytes,
		.valid = head->valid,
		.blocked = head->regs[0],
	};
	size_t count = 0;

	pcs[count++] = head->regs[REG_CODE];
	if (!filtered_may(SYS_pipe2) || !filtered_may(SYS_mincore)) /* by libunwind */
		return count;
	memcpy(walk.regs, head->regs, sizeof(walk.regs));
	if ((head->valid & needed) != needed || !walk_may_start() || !walk_start(&walk))
		return count;
	while (count < question->max && walk_up(&walk)) {
		if (walk.between) {
			if (signals)
				signals[count] = 0;
			pcs[count++] = walk.between;
			walk.between = 0;
		}
		if (count == question->max)
			break;
		if (signals)
			signals[count] = walk_signal(&walk);
		pcs[count++] = walk.pc;
	}
	return count;
}

size_t unwind_stack(const struct modules *modules, const struct mpsan_stack *head,
		    const uint8_t *bytes, uint64_t *pcs, uint8_t *signals, size_t max)
{
	const struct unwind_question question = {modules, head, bytes, max, signals != NULL};
	size_t count;

	if (!max || !(head->valid >> REG_CODE & 1))
		return 0;
	count = unwind_alike(&question, pcs, signals);
	if (count)
		return count;
	unwind_alike_begin();
	count = unwind_anew(&question, pcs, signals);
	unwind_alike_end(&question, pcs, signals, count);
	return count;
}

void unwind_finish(void)
{
	walk_finish();
	unwind_alike_finish();
	images_finish();
}
