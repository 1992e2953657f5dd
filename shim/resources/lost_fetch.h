/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's line about a tensor that could not be fetched because its sender has ended. If no
 * command supervises the session, each address that serves descriptors has a link in the session's
 * directory to the slot of its process. fd_passing.c calls.
 */
#pragma once

#include <stdint.h>

/* This process serves descriptors at that path. */
void lost_fetch_bound(const char *path);

/* A connection to it failed; `python`: the position of the frames. */
void lost_fetch_refused(const char *path, uint64_t python, uint64_t caller);
