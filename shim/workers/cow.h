/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copy-on-write cost of a forked child: inherited memory that it copied by writing to it, as
 * reference counts do; counted separately for its work and for its exit. life.c and the hooks call;
 * pages.h does the sums.
 */
#pragma once

/* How much anonymous memory a child will have. One system call if that cannot be much. */
void cow_before_fork(void);
/* First thing in a child: starts the count. */
void cow_forked(void);
/*
 * Its work is done: exit or _exit was called, or it is about to end. Records what was copied so
 * far, once. No system call if little is inherited, a few if little was allocated.
 */
void cow_leaves(void);
/*
 * As cow_leaves, from calls that the interpreter makes as its shutdown begins, and at other times:
 * sigaction, fflush.
 */
void cow_acts(void);
void cow_flushes(void);
/* At its very end: records what was copied since then. */
void cow_ended(void);
