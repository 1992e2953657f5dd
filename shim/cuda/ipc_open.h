/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of other processes, mapped here through the registry. See ipc.c, export_table.h. */
#pragma once

#include <stdint.h>

#include "../../include/mpsan.h"

/* Checks whether this process can open that export: 0, or an error of mpsan_ipc_open. */
int ipc_open_check(const struct mpsan_export *exported);

/* mpsan_ipc_open and mpsan_ipc_close, with the same results. */
int ipc_open_open(const struct mpsan_export *exported, uint64_t caller, void **pointer);
int ipc_open_close(uint64_t address, uint64_t caller);
