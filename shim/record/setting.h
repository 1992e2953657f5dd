/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the library: MPSAN_OPTIONS=name=value:…; the command checks the names. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Copies a setting's value; NULL: not set. */
const char *setting(const char *name, char *value, size_t bytes);
/* A setting in bytes, with suffix k, M or G; `preset` if it is not set. */
uint64_t setting_bytes(const char *name, uint64_t preset);
