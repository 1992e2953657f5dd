/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a session by parent, from the document of ps.h. Equal children are folded, and
 * processes with threads that wait forever come first. Neighbours: ps_print.c and top_rows.c show
 * it.
 */
#pragma once

#include "ps_text.h"

struct ps_node {
	const json_t *process;
	struct ps_groups groups;
	char *key; /* equal for processes that look the same */
	uint32_t parent; /* index; UINT32_MAX: none */
	uint32_t like; /* processes folded into this one */
	bool leaf, folded, urgent;
};

struct ps_tree {
	const json_t *document; /* borrowed, and everything that nodes point to */
	long long now_ns;
	bool live;
	ARRAY(struct ps_node) item;
	uint32_t ended; /* processes omitted */
};

void ps_tree_init(struct ps_tree *tree, const json_t *document);
void ps_tree_finish(struct ps_tree *tree);

/* A process in one line; the caller frees it. */
char *ps_tree_process(const struct ps_tree *tree, uint32_t index);

/* Calls `see` for each process shown, children after their parents. */
typedef void ps_tree_see(const struct ps_tree *tree, uint32_t index, uint32_t depth, void *context);
void ps_tree_walk(const struct ps_tree *tree, ps_tree_see *see, void *context);
