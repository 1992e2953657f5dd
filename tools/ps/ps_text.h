/* Words of `mpsan ps`: commands, groups of equal threads. Neighbours: ps_tree.h, ps_print.c. */
#ifndef MPSAN_PS_TEXT_H
#define MPSAN_PS_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "../base/line.h"
#include "../base/util.h"

/* "train.py --fast" in short; takes over the array; owned by the caller. */
char *ps_command(json_t *argv);

/* Threads of one process that do the same. */
struct ps_group {
	char *key; /* what is the same, without TIDs, ages and addresses that say nothing */
	const json_t *first;
	uint32_t count;
	bool named; /* all have the name of the first, but for numbers */
	long long oldest_ns; /* of since_ns; 0: not known */
	bool own_locks; /* each waits for another lock */
	int rank; /* the lower, the more it matters */
};

struct ps_groups {
	ARRAY(struct ps_group) item; /* those that matter most come first */
	uint32_t threads;
	bool idle; /* all sleep with time limits, and hold nothing */
	bool runs; /* nobody waits */
	bool urgent; /* somebody waits for ever */
};

void ps_groups_init(struct ps_groups *groups, const json_t *process);
void ps_groups_finish(struct ps_groups *groups);

/* A sentence about a group at `now_ns`; owned by the caller. */
char *ps_group_text(const struct ps_group *group, const json_t *process, long long now_ns);

#endif
