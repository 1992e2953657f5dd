/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a forked child cost beyond its start: memory that it inherited and had to copy because it wrote to
 * it, as reference counts do. What it copied while it worked is one thing, what its end copied another.
 * Neighbours: life.c and the hooks call; pages.h does the sums.
 */
#ifndef MPSAN_COW_H
#define MPSAN_COW_H

/* First thing in a child. One system call where little is inherited. */
void cow_forked(void);
/*
 * Its work is done: exit or _exit was called, or it is about to end. States what was copied until now, once.
 * No system call where little is inherited, a few where little was given.
 */
void cow_leaves(void);
/* The same in calls that the interpreter makes as its end begins, and at other times: sigaction, fflush. */
void cow_acts(void);
void cow_flushes(void);
/* At its very end: states what was copied since then. */
void cow_ended(void);

#endif
