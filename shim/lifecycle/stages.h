/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of lifecycle.def: stage_copied() calls every module that has a row ON_COPIED. */
#pragma once

#include <stdbool.h>

#define ON_ATTACH(f) void f(void);
#define ON_START(f) void f(void);
#define ON_BEFORE_FORK(f) void f(void);
#define ON_COPIED(f) void f(void);
#define ON_CHILD(f) void f(void);
#define ON_FORKED(f) void f(bool child);
#define ON_EXEC(f) void f(const char *path);
#define ON_EXIT(f) void f(void);
#include "lifecycle.def"

void stage_attach(void);
void stage_start(void);
void stage_before_fork(void);
void stage_copied(void);
void stage_child(void);
void stage_forked(bool child);
void stage_exec(const char *path);
void stage_exit(void);
