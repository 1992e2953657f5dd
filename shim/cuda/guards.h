/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frameworks that ask a function of their own whether they were forked, and raise an exception instead of a call to the
 * driver: include/mpsan_guards.def.
 */
#pragma once

/* Sees an exception of a forked child: see exceptions_watch. */
void guards_raised(const char *type, const char *text, const char *frames);
/* Looks for the guards of this process's modules. */
void guards_before_fork(void);
/* In a child that inherited the driver: sees the guards' answers from now on. */
void guards_put(void);
