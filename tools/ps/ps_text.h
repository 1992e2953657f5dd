/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of `mpsan ps`: commands, groups of equal threads. Neighbours: ps_tree.h, ps_print.c. */
#pragma once

#include <jansson.h>

#include "../base/line.h"
#include "ps_picture.h"

/* A short form like "train.py --fast". Takes over the array; the caller frees the text. */
char *ps_command(json_t *argv);

/* 'thread "reader" (TID 12)'; `name` may be NULL. The caller frees it. */
char *ps_thread_name(const char *name, uint32_t tid);

/* Threads of one process in the same state. */
struct ps_group {
	char *key; /* what they have in common, without TIDs, ages and mere addresses */
	const struct ps_thread *first;
	uint32_t count;
	bool named; /* all have the first one's name, up to numbers */
	long long oldest_ns; /* of since_ns; 0: unknown */
	bool own_locks; /* each waits for a lock of its own */
	int rank; /* lower is more important */
};

struct ps_groups {
	ARRAY(struct ps_group) item; /* sorted by importance */
	uint32_t threads;
	bool idle; /* many, and all sleep with timeouts and hold no lock */
	bool runs; /* many, and no thread waits */
	bool urgent; /* a thread waits forever */
};

/* `alive`: their process is. */
void ps_groups_init(struct ps_groups *groups, const struct ps_thread *threads, uint32_t count,
		    bool alive);
void ps_groups_finish(struct ps_groups *groups);

/* A sentence about a group at `now_ns`; the caller frees it. */
char *ps_group_text(const struct ps_group *group, const struct ps_process *process,
		    long long now_ns);
