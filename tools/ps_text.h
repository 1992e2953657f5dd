/* Words of `mpsan ps`: commands, lapses of time, groups of equal threads. Neighbours: ps_tree.h, ps_print.c. */
#ifndef MPSAN_PS_TEXT_H
#define MPSAN_PS_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "util.h"

/* What would leave the line, or speak to the terminal, becomes a blank. */
void ps_line(char *text);

/* "train.py --fast" in short; takes over the array; owned by the caller. */
char *ps_command(json_t *argv);

/* From one time to a later one: "0.3 s", "40 s", "12 min", "3 h", "2 days". */
char *ps_lapse(long long from_ns, long long to_ns);

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
