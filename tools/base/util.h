/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the whole command: error lines, allocation that cannot fail, growing arrays. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define STATUS_USAGE 2
#define MEMORY_CURE "ulimit -v 2000000 is enough for a few processes, unlimited for many"
#define STATUS_BROKEN 70 /* mpsan itself failed */
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND 127

/*
 * Prints "mpsan: ..." on standard error, with unsafe characters escaped, and returns STATUS_USAGE. The line names the
 * problem and the cure.
 */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with a text, which it frees. */
int complain_text(char *wrong);

/*
 * The functions below never return NULL: out of memory, they call `memory_lost` if it is set, else
 * print an error and exit.
 */
extern void (*memory_lost)(void);

/* The text of that error, with the cure. */
const char *memory_why(void);
void *memory_get(size_t bytes); /* zeroed */
void *memory_grow(void *memory, size_t bytes);
char *text_copy(const char *text);
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_signal(int number); /* "SIGTERM"; "signal 34" */
/* Appends `more` to `list`, with `separator` between them if both are non-empty, and frees both. */
char *text_join(char *list, const char *separator, char *more);

bool text_ends(const char *text, const char *end);

/* Two uint64_t, for qsort() and bsearch(). */
int compare_words(const void *one, const void *other);

/* Frees what a variable points to where its block ends; `json_auto_t` does so with JSON. */
#define AUTO_FREE __attribute__((cleanup(memory_drop)))
static inline void memory_drop(void *variable)
{
	free(*(void **)variable);
}

/* The same with a stream, if it was opened. */
#define AUTO_CLOSE __attribute__((cleanup(stream_close)))
static inline void stream_close(FILE **stream)
{
	if (*stream)
		fclose(*stream);
}

const char *path_base(const char *path);
uint64_t clock_ns(int clock);
/* Puts the clocks forward, for processes that do not live, and to which time does nothing. */
void clock_pass(uint64_t ns);
/* How far this time namespace's clock ("monotonic" or "boottime") is ahead of the host's. */
int64_t clock_ahead_ns(const char *clock);

/* Appends an item to an ARRAY and returns a pointer to it. */
#define ARRAY_ADD(array)                                                                     \
	({                                                                                   \
		if ((array)->count == (array)->room) {                                       \
			(array)->room = (array)->room ? 2 * (array)->room : 16;              \
			(array)->item = memory_grow((array)->item,                           \
						    (array)->room * sizeof(*(array)->item)); \
		}                                                                            \
		&(array)->item[(array)->count++];                                            \
	})
#define ARRAY(type)             \
	struct {                \
		type *item;     \
		uint32_t count; \
		uint32_t room;  \
	}
