/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk up one stack, by libunwind's remote interface: it asks for registers, memory and unwind tables, and gets them from
 * the snapshot and from the mapped ELF files. Neighbour: unwind.h, which takes the steps.
 *
 * libunwind has guesses of its own for frames without tables. They follow whatever memory can be
 * read, so they are kept out: a frame without a table is reported as an error that stops libunwind,
 * and the stricter guesses of unwind.c are tried instead.
 */
#pragma once

#include <libunwind.h>

#include "../../../include/mpsan_log.h"
#include "../modules.h"

/* DWARF expressions can loop, and guesses can multiply; no honest stack needs as many reads. */
#define READS_MAX (4u << 20)

#define REG_FRAME MPSAN_STACK_FRAME
#define REG_STACK MPSAN_STACK_SP
#define REG_CODE MPSAN_STACK_PC

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

/* Prepares what all walks share; false: no walk is possible. */
bool walk_may_start(void);
/* Sets the cursor to the frame of walk->regs. */
bool walk_start(struct walk *walk);

/* The word of the stack at that address; false: it was not copied. */
bool walk_read_stack(const struct walk *walk, uint64_t address, uint64_t *word);
/* The same; a signed return address comes without its signature. */
bool walk_read_saved(struct walk *walk, uint64_t address, uint64_t *word);

/* Copies code that must lie in an executable segment. */
bool walk_read_code(struct walk *walk, uint64_t address, uint8_t *to, size_t size);

/* Gives back what walks share. */
void walk_finish(void);
