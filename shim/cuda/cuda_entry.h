/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who asks for functions of CUDA by name gets the hook only where that is what a call by the same
 * caller would reach: names say little here, since the driver has several versions of a function
 * under one name, and cuDNN and others begin alike.
 */
#ifndef MPSAN_CUDA_ENTRY_H
#define MPSAN_CUDA_ENTRY_H

#include "../intercept/hook.h"

/*
 * dlsym or dlvsym, which is `real`, was asked for this row. Returns `real`, to be called as the
 * program did, or NULL when regs->result is the answer.
 */
void *cuda_entry_ask(struct pass_regs *regs, enum hook_id id, void *real);

/* The driver, or the runtime, gave out a pointer: known by its address alone. */
void cuda_entry_found(void **f, uint64_t caller);

/* The caller is the shared runtime itself. */
bool cuda_entry_is_runtime(uint64_t caller);

#endif
