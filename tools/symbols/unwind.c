/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding, by libunwind's remote interface: it asks for registers, memory and unwind tables
 * through the accessors below, and we answer from the snapshot and from the mapped ELF files.
 *
 * libunwind has guesses of its own for frames without tables. They follow whatever memory can be
 * read, so they are kept out: a frame without a table is reported as an error that stops libunwind,
 * and the stricter guesses of this file are tried instead.
 */
#include "unwind.h"

#include <libunwind.h>
#include <string.h>
#include <sys/syscall.h>

#include "../base/filtered.h"
#include "machine_code.h"
#include "unwind_alike.h"

/* Exported by libunwind for unwinders that find tables themselves, but declared in no header. */
#define search_unwind_table UNW_OBJ(dwarf_search_unwind_table)
int search_unwind_table(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *info,
			unw_proc_info_t *proc, int need_unwind_info, void *arg);

/* DWARF expressions can loop, and guesses can multiply; no honest stack needs as many reads. */
#define READS_MAX (4u << 20)
#define READS_PER_STEP 64 /* charged for a step even if it reads nothing */

#define REG_FRAME MPSAN_STACK_FRAME
#define REG_STACK MPSAN_STACK_SP
#define REG_CODE MPSAN_STACK_PC

/* Where a cursor stands is asked for by libunwind's own names: aarch64 has no register for it. */
_Static_assert(REG_STACK == UNW_TDEP_SP, "libunwind and DWARF number registers alike");

struct walk {
	const struct modules *modules;
	const struct mpsan_stack *head;
	const uint8_t *bytes;
	unw_cursor_t cursor;
	uint64_t regs[MPSAN_STACK_REGS]; /* where the cursor started from */
	uint64_t valid;
	uint64_t pc; /* of the frame the cursor stands on */
	uint64_t sp;
	uint64_t function; /* start of the function that holds it, when a table was found */
	uint64_t blocked; /* signals, in the frame the cursor stands on */
	uint64_t between; /* an address in a function that was passed over since; 0: none was */
	unsigned reads;
	bool blind; /* the last step found no unwind table */
	bool frame_wanted; /* the last step asked for the unknown frame pointer */
	bool link_wanted; /* the same of the link register */
	bool outermost; /* the last step found that there is no caller */
	const struct module *module; /* last one asked for */
	const struct image *image;
};

static unw_addr_space_t space;

/* Makes `address`'s module the current one; false when there is none or its file is of no use. */
static bool walk_seek(struct walk *walk, uint64_t address)
{
	const struct module *module = walk->module;

	if (!module || address < module->base || address >= module->end) {
		module = modules_find(walk->modules, address);
		if (!module)
			return false;
		walk->module = module;
		walk->image = module_image(module);
	}
	return walk->image != NULL;
}

static uint64_t walk_vaddr(const struct walk *walk, uint64_t address)
{
	return address - image_bias(walk->image, walk->module);
}

static bool read_stack(const struct walk *walk, uint64_t address, uint64_t *word)
{
	uint64_t offset = address - walk->head->regs[REG_STACK];

	if (offset >= walk->head->bytes || walk->head->bytes - offset < sizeof(*word))
		return false;
	memcpy(word, walk->bytes + offset, sizeof(*word));
	unwind_alike_read(offset, *word);
	return true;
}

/* As read_stack; a signed return address comes without its signature. */
static bool read_saved(struct walk *walk, uint64_t address, uint64_t *word)
{
	uint64_t plain;

	if (!read_stack(walk, address, word))
		return false;
	plain = code_unsigned(*word);
	if (plain != *word && walk_seek(walk, plain) &&
	    image_is_code(walk->image, walk_vaddr(walk, plain)))
		*word = plain;
	return true;
}

/* A word at the end of a segment is padded with zeros: libunwind reads bytes as aligned words. */
static bool read_image(struct walk *walk, uint64_t address, uint64_t *word)
{
	*word = 0;
	return walk_seek(walk, address) &&
	       image_read(walk->image, walk_vaddr(walk, address), word, sizeof(*word)) > 0;
}

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *word, int write,
		      void *arg)
{
	struct walk *walk = arg;

	(void)as;
	if (write || walk->reads++ > READS_MAX)
		return -UNW_EINVAL;
	if (read_saved(walk, address, word) || read_image(walk, address, word))
		return 0;
	return -UNW_EINVAL;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *word, int write, void *arg)
{
	struct walk *walk = arg;

	(void)as;
	if (write || reg < 0 || reg >= MPSAN_STACK_REGS)
		return -UNW_EBADREG;
	if (!(walk->valid >> reg & 1)) {
		walk->frame_wanted |= reg == REG_FRAME;
		walk->link_wanted |= CODE_LINK && reg == CODE_LINK;
		return -UNW_EBADREG;
	}
	*word = walk->regs[reg];
	return 0;
}

static int search_image(struct walk *walk, uint64_t ip, unw_proc_info_t *proc, int need)
{
	const struct image_unwind *unwind;
	uint64_t bias;
	unw_dyn_info_t info = {
		.format = UNW_INFO_FORMAT_REMOTE_TABLE,
	};

	if (!walk_seek(walk, ip))
		return -UNW_ENOINFO;
	unwind = image_unwind(walk->image);
	if (!unwind->entries)
		return -UNW_ENOINFO;
	bias = image_bias(walk->image, walk->module);
	if (CODE_MAY_BE_SIGNED)
		image_hide_signing(walk->image, ip - bias);
	info.start_ip = walk->module->base;
	info.end_ip = walk->module->end;
	info.u.rti.segbase = bias + unwind->header;
	info.u.rti.table_data = bias + unwind->table;
	info.u.rti.table_len = unwind->entries * 8 / sizeof(unw_word_t);
	return search_unwind_table(space, ip, &info, proc, need, walk);
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *proc, int need,
			  void *arg)
{
	struct walk *walk = arg;

	(void)as;
	if (search_image(walk, ip, proc, need) >= 0) {
		walk->function = proc->start_ip;
		return 0;
	}
	walk->function = 0;
	walk->blind = true;
	return -UNW_ESTOPUNWIND; /* any other error may start guesses of libunwind's own */
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *proc, void *arg)
{
	(void)as;
	(void)proc;
	(void)arg;
}

static int get_dyn_info_list(unw_addr_space_t as, unw_word_t *list, void *arg)
{
	(void)as;
	(void)list;
	(void)arg;
	return -UNW_ENOINFO;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t address, char *name, size_t size,
			 unw_word_t *offset, void *arg)
{
	(void)as;
	(void)address;
	(void)name;
	(void)size;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

static bool space_ready(void)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};

	if (!space) {
		space = unw_create_addr_space(&accessors, 0);
		/* libunwind's cache knows addresses only, and each process has other modules there.
		 */
		if (space)
			unw_set_caching_policy(space, UNW_CACHE_NONE);
	}
	return space != NULL;
}

/* Copies code that must lie in an executable segment. */
static bool read_code(struct walk *walk, uint64_t address, uint8_t *to, size_t size)
{
	return walk_seek(walk, address) && image_is_code(walk->image, walk_vaddr(walk, address)) &&
	       image_read(walk->image, walk_vaddr(walk, address), to, size) == size;
}

/* Is a stub of the procedure linkage table there? */
static bool is_stub(struct walk *walk, uint64_t address)
{
	uint8_t code[CODE_STUB_BYTES];

	return read_code(walk, address, code, sizeof(code)) && code_is_stub(code);
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

	if (!read_code(walk, pc - sizeof(code), code, sizeof(code)))
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
	if (fp % 8 || !read_stack(walk, fp, &frame->caller_fp) ||
	    !read_saved(walk, fp + 8, &frame->pc))
		return false;
	frame->call = read_call(walk, frame->pc, walk->function, &frame->target);
	return frame->call != CALL_NONE;
}

static bool walk_start(struct walk *walk)
{
	walk->sp = walk->regs[REG_STACK];
	return unw_init_remote(&walk->cursor, space, walk) >= 0;
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

/* Goes back to `saved`, whether the stack can be followed to its outermost frame or not. */
static bool leads_out(struct walk *walk, struct walk *saved)
{
	bool out;

	while (walk_step(walk))
		;
	out = walk->outermost;
	saved->reads = walk->reads;
	*walk = *saved;
	return out;
}

static bool frame_leads_out(struct walk *walk, uint64_t fp)
{
	struct walk saved = *walk;

	set_frame(walk, fp);
	return leads_out(walk, &saved);
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
	struct walk saved = *walk, there;
	struct frame frame;
	unw_word_t end;

	walk->regs[CODE_LINK] =
		walk->regs[REG_CODE]; /* any: the step is for the end of the frame */
	walk->valid |= 1ull << CODE_LINK;
	walk_start(walk); /* the step that failed has changed the cursor */
	if (unw_step(&walk->cursor) > 0 && unw_get_reg(&walk->cursor, REG_STACK, &end) >= 0 &&
	    read_frame(walk, end, &frame) && frame.caller_fp > end &&
	    walk_to(walk, &frame, frame.caller_fp)) {
		walk->between = frame.call == CALL_ELSEWHERE ? frame.target + 1 : 0;
		there = *walk;
		if (leads_out(walk, &there))
			return true;
	}
	saved.reads = walk->reads;
	*walk = saved;
	return false;
}

/* Moves to the caller. A step that failed left the cursor where it was: it can be tried again. */
static bool walk_up(struct walk *walk)
{
	return walk_step(walk) || (walk->frame_wanted && guess_frame(walk) && walk_step(walk)) ||
	       (walk->link_wanted && step_by_record(walk));
}

/* The vdso is no file, so that its code cannot be read. */
static bool is_in_vdso(const struct walk *walk)
{
	const struct module *module = modules_find(walk->modules, walk->pc);

	return module && module->path && !strchr(module->path, '/') && strstr(module->path, "vdso");
}

static bool is_handlers_end(struct walk *walk)
{
	uint8_t code[sizeof(code_signal_return)];

	if (CODE_RETURNS_IN_VDSO && is_in_vdso(walk))
		return true;
	return read_code(walk, walk->pc, code, sizeof(code)) &&
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
	    !read_stack(walk, walk->sp + CODE_BLOCKED_AT, &before))
		return UNWIND_SIGNAL;
	since = walk->blocked & ~before;
	walk->blocked = before;
	if (since && !(since & (since - 1)))
		return (uint8_t)(__builtin_ctzll(since) + 1);
	read_stack(walk, walk->sp + CODE_SIGINFO_AT, &info);
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
	if ((head->valid & needed) != needed || !space_ready() || !walk_start(&walk))
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
	if (space)
		unw_destroy_addr_space(space);
	space = NULL;
	unwind_alike_finish();
	images_finish();
}
