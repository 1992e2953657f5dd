/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions without a live process. Those of plain preloading are kept up to a number; a command
 * that was killed could not remove its own. See session.c.
 */
#pragma once

#include <stdbool.h>

struct identity;

/* Limits the number of sessions in `base`: removes one. `self`: the caller. */
void stale_forget(const char *base, const struct identity *self);

/* Whether all processes of a session have certainly ended. */
bool stale_is_over(const char *directory, const struct identity *self);
void stale_remove(const char *directory);
