/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of `mpsan help TOPIC`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The names by their number, NULL behind the last. */
const char *topic_name(size_t number);

/* One line for each topic. */
void topics_list(FILE *out);

/* Prints a topic's page on standard output; false when there is no such topic. */
bool topic_print(const char *name);
