/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frameworks that ask a function of their own whether they were forked, and raise an exception instead of a call to the
 * driver: include/mpsan_guards.def.
 */
#ifndef MPSAN_GUARDS_H
#define MPSAN_GUARDS_H

/* Looks for the guards of this process's modules. */
void guards_before_fork(void);
/* In a forked child: sees their exceptions from now on, and the guards' answers if it inherited the driver. */
void guards_put(void);

#endif
