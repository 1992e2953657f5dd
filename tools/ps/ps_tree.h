/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a session by parent, from what a look has found. Equal children are folded, and
 * processes with threads that wait forever come first. Neighbours: ps_print.c and top_rows.c show
 * it.
 */
#pragma once

#include "ps_text.h"

struct ps_node {
	const struct ps_process *process;
	struct ps_groups groups;
	char *key; /* equal for processes that look the same */
	uint32_t parent; /* index; UINT32_MAX: none */
	uint32_t like; /* processes folded into this one */
	bool leaf, folded, urgent;
};

struct ps_tree {
	const struct ps_picture *picture; /* borrowed, and everything that nodes point to */
	ARRAY(struct ps_node) item;
	uint32_t ended; /* processes omitted */
};

void ps_tree_init(struct ps_tree *tree, const struct ps_picture *picture);
void ps_tree_finish(struct ps_tree *tree);

/* A process in one line; the caller frees it. */
char *ps_tree_process(const struct ps_tree *tree, uint32_t index);

/* Calls `see` for each process shown, children after their parents. */
typedef void ps_tree_see(const struct ps_tree *tree, uint32_t index, uint32_t depth, void *context);
void ps_tree_walk(const struct ps_tree *tree, ps_tree_see *see, void *context);
