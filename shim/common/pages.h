/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a forked process still shares with its parent, from the kernel's account of each of its
 * mappings (/proc/PID/smaps). Compiled into the library, which asks about its own process, and the
 * command, which asks about others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_BYTES 4096u /* what one fault copies */

/* Anonymous memory of private mappings, in bytes. All zero before the first piece of text. */
struct pages {
	/* shared with other processes; and what was swapped out, which no process copied */
	uint64_t common;
	/* of this process alone, without huge pages: a write copies a small page */
	uint64_t own;
	/* The line and the mapping that are being read. */
	char line[40];
	unsigned filled;
	bool is_private;
	uint64_t anonymous, dirty, swapped, huge;
};

/* Takes the next piece of smaps; call it with `bytes` 0 after the last one. */
void pages_read(struct pages *pages, const char *text, size_t bytes);

/* Upper bounds, in bytes, of the memory that a forked process can have copied. */
struct pages_bounds {
	uint64_t inherited; /* private anonymous memory of its parent at the fork */
	uint64_t given; /* its page faults since, as bytes */
	/* what its parent still has; what the parent freed is not shared either */
	uint64_t parents;
};
uint64_t pages_copied(const struct pages *pages, const struct pages_bounds *bounds);

/* Resident anonymous memory in bytes, from the text of /proc/PID/statm. */
uint64_t pages_anonymous(const char *statm);
