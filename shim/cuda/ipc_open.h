/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of other processes, mapped here through the registry. Neighbours: ipc.c calls, export_table.h. */
#ifndef MPSAN_IPC_OPEN_H
#define MPSAN_IPC_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/mpsan.h"

/* Whether there is such memory to be opened, by this process: 0 or what mpsan_ipc_open says. */
int ipc_open_check(const struct mpsan_export *exported);

/* As mpsan_ipc_open and mpsan_ipc_close say. */
int ipc_open_open(const struct mpsan_export *exported, uint64_t caller, void **pointer);
int ipc_open_close(uint64_t address, uint64_t caller);

#endif
