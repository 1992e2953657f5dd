/* Names that a mistyped one may have meant. */
#ifndef MPSAN_SUGGEST_H
#define MPSAN_SUGGEST_H

#include <stddef.h>

/*
 * " (near: A, B, C)", the nearest first, "" when none is near. `name` gives the names by their number, NULL
 * behind the last. Owned by the caller.
 */
char *suggest_names(const char *wrong, const char *(*name)(size_t number));

#endif
