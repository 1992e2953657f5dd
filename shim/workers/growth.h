/*
 * What a forked child cost beyond its start: memory that it inherited and had to copy because it wrote to
 * it, as reference counts do. What it copied while it worked is one thing, what its end copied another.
 * Neighbours: life.c and the hooks call; pages.h does the sums.
 */
#ifndef MPSAN_GROWTH_H
#define MPSAN_GROWTH_H

/* First thing in a child. One system call where little is inherited. */
void growth_forked(void);
/*
 * Its work is done: exit or _exit was called, or it is about to end. States what was copied until now, once.
 * No system call where little is inherited, a few where little was given.
 */
void growth_leaves(void);
/* The same in calls that the interpreter makes as its end begins, and at other times: sigaction, fflush. */
void growth_acts(void);
void growth_flushes(void);
/* At its very end: states what was copied since then. */
void growth_ended(void);

#endif
