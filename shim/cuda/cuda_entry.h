/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlsym and cuGetProcAddress return a hook only if a direct call by the same caller would reach it.
 * Matched by address: names are ambiguous, since the driver has several versions of a function
 * under one name, and other libraries, such as cuDNN, have similar names.
 */
#pragma once

#include "../intercept/hook.h"

/*
 * dlsym or dlvsym (`real`) was called for this row. Returns `real`, to be called as the program
 * did; NULL: regs->result is the result.
 */
void *cuda_entry_ask(struct pass_regs *regs, enum hook_id id, void *real);

/*
 * The driver, or the runtime, returned a pointer: replaces it by the hook of the same address, if
 * any.
 */
void cuda_entry_found(void **f, uint64_t caller);

/* Whether the caller is the shared runtime itself. */
bool cuda_entry_is_runtime(uint64_t caller);
