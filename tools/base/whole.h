/*
 * Files that appear whole or not at all: written under another name beside, then renamed. Neighbours: report.c and
 * baseline_write.c, which write them.
 */
#ifndef MPSAN_WHOLE_H
#define MPSAN_WHOLE_H

#include <stdio.h>

typedef void whole_fill(FILE *out, const void *what);

/*
 * Lets `fill` write a file. A plain file is replaced; a link, a pipe or a device is written through. NULL, or "FILE: what
 * is wrong", owned by the caller.
 */
char *whole_write(const char *file, whole_fill *fill, const void *what);

#endif
