/*
 * The process tree of a session, also those in it that are not watched: whoever descends from the program or from a
 * watched process. Neighbours: signal_process.h signals those that are watched, watch.h ends them all.
 */
#ifndef MPSAN_TREE_H
#define MPSAN_TREE_H

#include <sys/types.h>

#include "../reader/reader.h"

struct tree_process {
	uint32_t pid, parent;
	uint64_t start; /* in ticks: tells it from a later one with its pid */
	bool ended;
	bool watched;
	bool member;
};

struct tree {
	const struct reader *reader;
	uint32_t root; /* the program; 0: it has been waited for */
	bool adopts; /* orphans come to us, and did not before */
	ARRAY(struct tree_process) there; /* all processes of the machine, by pid */
	ARRAY(struct tree_process) members; /* not those that are watched */
	ARRAY(uint32_t) strangers; /* children that this process had before */
};

/*
 * Collects the tree. From now on its orphans become children of this process, so that none is lost whose parent
 * ends first.
 */
void tree_open(struct tree *tree, const struct reader *reader, pid_t root);
/* Adds who has come since. */
void tree_look(struct tree *tree);
/* Sends a signal (0: none) to all that are not watched; how many of them still live and may be signalled. */
unsigned tree_signal(struct tree *tree, int number);
void tree_close(struct tree *tree);

#endif
