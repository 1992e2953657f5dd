/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the library: MPSAN_OPTIONS=name=value:…; unknown names are the command's business. */
#ifndef MPSAN_SETTING_H
#define MPSAN_SETTING_H

#include <stddef.h>
#include <stdint.h>

/* The value, copied; NULL: not set. */
const char *setting(const char *name, char *value, size_t bytes);
/* A number with k, M or G behind it. */
uint64_t setting_bytes(const char *name, uint64_t preset);

#endif
