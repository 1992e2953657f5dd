/* Lines of `limits`: what a document could not say, and why. */
#ifndef MPSAN_LIMIT_H
#define MPSAN_LIMIT_H

#include <jansson.h>

/* Adds one line to `limits` of the document. */
void report_limit(json_t *document, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
