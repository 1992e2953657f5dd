/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for mistyped names. */
#pragma once

#include <stddef.h>

/*
 * Returns " (did you mean A, B, C?)", nearest first, or "" if no name is near; the caller frees it. `name`
 * returns the names by index, and NULL after the last.
 */
char *suggest_names(const char *wrong, const char *(*name)(size_t number));
