/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the session of a process that runs under mpsan already, or is the `mpsan run` of one. Neighbour: attach.h. */
#pragma once

#include <stdint.h>

/* Its directory, as reachable from here, which the caller frees; NULL: it has none. */
char *watched_session(uint32_t pid);
