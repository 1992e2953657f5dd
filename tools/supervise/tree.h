/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process tree of a session, including processes that are not watched: all descendants of the
 * program and of watched processes. Neighbours: signal_process.h signals watched ones, watch.h ends them
 * all.
 */
#pragma once

#include <sys/types.h>

#include "../reader/reader.h"

struct tree_process {
	uint32_t pid, parent;
	uint64_t start; /* in ticks: distinguishes it from a later one with its pid */
	bool ended;
	bool watched;
	bool member;
};

struct tree {
	const struct reader *reader;
	uint32_t root; /* the program; 0: reaped */
	bool adopts; /* we are a subreaper, and were not before */
	ARRAY(struct tree_process) there; /* all processes of the machine, by pid */
	ARRAY(struct tree_process) members; /* those that are not watched */
	ARRAY(uint32_t) strangers; /* children that this process had before */
};

/*
 * Starts to track the tree. Makes this process a subreaper, so that it adopts orphans of the tree.
 */
void tree_open(struct tree *tree, const struct reader *reader, pid_t root);
/* Adds new processes. */
void tree_look(struct tree *tree);
/*
 * Sends a signal (0: none) to all that are not watched; returns how many still live and may be
 * signalled.
 */
unsigned tree_signal(struct tree *tree, int number);
void tree_close(struct tree *tree);
