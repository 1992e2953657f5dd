/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a report's `limits`: what could not be observed, and why. */
#pragma once

#include <jansson.h>

/* Adds one line to the `limits` of `document`. */
void report_limit(json_t *document, const char *format, ...) __attribute__((format(printf, 2, 3)));
