/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reports of a program that was asked to end and has not ended: SIGKILL may come next, for
 * mpsan as well. They are written by `mpsan report`, run aside, so that signals go on to be handed on
 * meanwhile: files at once, and again after two seconds, then with the text. Neighbours: watch.h
 * tells of signals, own_command.h runs the command.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct interim {
	char **command; /* `mpsan report` of this session; the caller's, as is what it says */
	char **with_text; /* the same with the text on standard error; NULL: it goes elsewhere */
	char *const *file; /* what they write, NULL-terminated */
	const char *dir; /* of the session */
	/* From here on: zero at first. */
	uint32_t asked; /* signals that came, as bits */
	int number; /* the last new one */
	bool by_terminal; /* it was a key */
	uint64_t due_ns; /* when the program will have ended if it obeys; 0: nothing is due */
	pid_t writer; /* 0: none */
};

/* A signal came: the first of its kind that ends a program by default is of interest. */
void interim_signal(struct interim *interim, int number, bool by_terminal, uint64_t now_ns);

/* Whether the program, which has not ended, has had the time to. */
bool interim_is_due(const struct interim *interim, uint64_t now_ns);
/* Then: says so, and writes the reports of now. */
void interim_write(struct interim *interim);

/* The program has ended: what is being written is abandoned, for the final reports follow. */
void interim_end(struct interim *interim);
