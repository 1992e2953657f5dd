/*
 * What a forked process still has in common with who made it, by what the kernel says of each of its mappings
 * (/proc/PID/smaps). Pure code: the library asks for itself, the command for others.
 */
#ifndef MPSAN_PAGES_H
#define MPSAN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_BYTES 4096u /* what one fault copies */

/* Anonymous memory of private mappings, in bytes. All zero before the first piece of text. */
struct pages {
	/* which others have as well; and what was swapped out, which nobody copied */
	uint64_t common;
	/* which nobody else has. Not huge pages: what a write copies is a small one */
	uint64_t own;
	/* The line and the mapping that are being read. */
	char line[40];
	unsigned filled;
	bool is_private;
	uint64_t anonymous, dirty, swapped, huge;
};

/* The next piece of smaps; `bytes` 0 after the last one. */
void pages_read(struct pages *pages, const char *text, size_t bytes);

/* What bounds the memory that a forked process can have copied, in bytes. */
struct pages_bounds {
	uint64_t inherited; /* that was private to its parent at the fork, and anonymous */
	uint64_t given; /* pages that this process was given since: its page faults */
	uint64_t parents; /* what its parent still has: what that gave back is not shared either */
};
uint64_t pages_copied(const struct pages *pages, const struct pages_bounds *bounds);

/* Resident memory that belongs to no file, from a text as in /proc/PID/statm. */
uint64_t pages_anonymous(const char *statm);

#endif
