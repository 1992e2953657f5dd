/*
 * Small things that every file of the command uses: complaints, memory that is always there,
 * growing arrays.
 */
#ifndef MPSAN_UTIL_H
#define MPSAN_UTIL_H

#include <stddef.h>
#include <stdint.h>

#define STATUS_USAGE 2
#define MEMORY_CURE "ulimit -v 2000000 is enough for a few processes, unlimited for many"
#define STATUS_BROKEN 70 /* mpsan itself could not work */
#define STATUS_NOT_EXECUTABLE 126
#define STATUS_NOT_FOUND 127

/*
 * Prints "mpsan: ..." on standard error and returns STATUS_USAGE. The line names the thing and
 * the cure.
 */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* These end the command when there is no memory, or call `memory_lost`; what they return is never NULL. */
extern void (*memory_lost)(void);

/* What is then said, with the cure. */
const char *memory_why(void);
void *memory_get(size_t bytes); /* zeroed */
void *memory_grow(void *memory, size_t bytes);
char *text_copy(const char *text);
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Puts `more` behind `list`, the separator between where both have text, and frees both. */
char *text_join(char *list, const char *separator, char *more);

const char *path_base(const char *path);
uint64_t clock_ns(int clock);
/* By how much a clock of this time namespace ("monotonic", "boottime") is ahead of the machine's. */
int64_t clock_ahead_ns(const char *clock);

/*
 * Makes room for one more item in an array that has a pointer `item` and the numbers `count` and
 * `room`.
 */
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

#endif
