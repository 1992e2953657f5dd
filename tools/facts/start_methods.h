/* SPDX-License-Identifier: Apache-2.0 */
/* How a program begins its processes afresh instead of by fork. Pure. Neighbours: pyframe.h, ../base/fix_text.h ({spawn}). */
#pragma once

/* What to write, by the Python stack of the fork (pyframe.h); in general words if no library started it. */
const char *start_method_spawn(const char *frames);
