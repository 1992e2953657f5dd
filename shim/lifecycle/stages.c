/* SPDX-License-Identifier: Apache-2.0 */
/* One function for each stage of a process, which calls the rows of lifecycle.def in order. */
#include "stages.h"

void stage_attach(void)
{
#define ON_ATTACH(f) f();
#include "lifecycle.def"
}

void stage_start(void)
{
#define ON_START(f) f();
#include "lifecycle.def"
}

void stage_before_fork(void)
{
#define ON_BEFORE_FORK(f) f();
#include "lifecycle.def"
}

void stage_copied(void)
{
#define ON_COPIED(f) f();
#include "lifecycle.def"
}

void stage_child(void)
{
#define ON_CHILD(f) f();
#include "lifecycle.def"
}

void stage_forked(bool child)
{
#define ON_FORKED(f) f(child);
#include "lifecycle.def"
}

void stage_exec(const char *path)
{
#define ON_EXEC(f) f(path);
#include "lifecycle.def"
}

void stage_exit(void)
{
#define ON_EXIT(f) f();
#include "lifecycle.def"
}
