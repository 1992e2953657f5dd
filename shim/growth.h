/*
 * What a forked child cost beyond its start: memory that it inherited and had to copy because it wrote to
 * it, as reference counts do. Neighbours: life.c calls.
 */
#ifndef MPSAN_GROWTH_H
#define MPSAN_GROWTH_H

/* First thing in a child. One system call. */
void growth_forked(void);
/* At its end: states what was copied, if that is much. One more system call while little was. */
void growth_state(void);

#endif
