/* SPDX-License-Identifier: Apache-2.0 */
/* The language that a fix speaks. */
#pragma once

/* Stands for {spawn} where it is not known what started the processes (facts/start_methods.h). */
#define FIX_SPAWN "use the start method spawn or forkserver"

/*
 * A fix for a program in Python, for one in another language, or for both: of "{python|, or use spawn}" and
 * "{native|, or exec in the child}" what fits. The caller frees it.
 */
enum fix_reader { FIX_FOR_ALL, FIX_FOR_PYTHON, FIX_FOR_NATIVE };
char *fix_for(const char *fix, enum fix_reader reader);
