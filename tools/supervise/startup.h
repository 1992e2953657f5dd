/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a process still starts: Python imports modules, which takes seconds of a processor for
 * torch and is over for good. Neighbour: worker_table.h.
 */
#pragma once

#include "monitors/worker_table.h"

/* Whether these frames, innermost first, are those of an import in the process that runs them. Pure. */
bool startup_imports(const char *stack);

/* Whether a process of Python was not yet seen at something else; asks it, until it was. */
bool startup_lasts(const struct workers *workers, const struct snapshot_process *process);

/* Whether it is a rank of torch.distributed; asks now and then, until it is. */
bool startup_is_rank(const struct workers *workers, const struct snapshot_process *process);
