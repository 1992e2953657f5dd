/* SPDX-License-Identifier: Apache-2.0 */
/* Error lines, checked allocation, string and clock helpers. */
#include "util.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "utf8.h"

int complain(const char *format, ...)
{
	char *text = NULL, *safe = NULL;
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vasprintf(&text, format, args);
	va_end(args);
	safe = bytes < 0 ? NULL : malloc(UTF8_ESCAPED * (size_t)bytes + 1);
	if (safe)
		utf8_escape(safe, text, (size_t)bytes, "");
	fprintf(stderr, "mpsan: %s\n", safe ? safe : memory_why());
	free(safe);
	if (bytes >= 0)
		free(text);
	return STATUS_USAGE;
}

int complain_text(char *wrong)
{
	complain("%s", wrong);
	free(wrong);
	return STATUS_USAGE;
}

bool text_ends(const char *text, const char *end)
{
	size_t length = strlen(text), bytes = strlen(end);

	return length >= bytes && !strcmp(text + length - bytes, end);
}

int compare_words(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

void (*memory_lost)(void);

const char *memory_why(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		return "out of memory: the address-space limit (RLIMIT_AS) is too low; " MEMORY_CURE;
	if (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY)
		return "out of memory: the data limit (RLIMIT_DATA) is too low; ulimit -d 1000000 is enough for most "
		       "programs";
	return "out of memory; free some, or raise what the container or control group may use";
}

static void *memory_checked(void *memory)
{
	if (!memory) {
		if (memory_lost)
			memory_lost();
		complain("%s", memory_why());
		exit(STATUS_BROKEN);
	}
	return memory;
}

void *memory_get(size_t bytes)
{
	return memory_checked(calloc(1, bytes ? bytes : 1));
}

void *memory_grow(void *memory, size_t bytes)
{
	return memory_checked(realloc(memory, bytes ? bytes : 1));
}

char *text_copy(const char *text)
{
	return memory_checked(strdup(text));
}

char *text_format(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return memory_checked(length < 0 ? NULL : text);
}

/* sigabbrev_np is as new as glibc 2.32. */
char *text_signal(int number)
{
	static const char *const names[] = {
#define SIGNAL(name) [SIG##name] = #name
		SIGNAL(HUP),	SIGNAL(INT),  SIGNAL(QUIT),  SIGNAL(ILL),  SIGNAL(TRAP),
		SIGNAL(ABRT),	SIGNAL(BUS),  SIGNAL(FPE),   SIGNAL(KILL), SIGNAL(USR1),
		SIGNAL(SEGV),	SIGNAL(USR2), SIGNAL(PIPE),  SIGNAL(ALRM), SIGNAL(TERM),
		SIGNAL(STKFLT), SIGNAL(CHLD), SIGNAL(CONT),  SIGNAL(STOP), SIGNAL(TSTP),
		SIGNAL(TTIN),	SIGNAL(TTOU), SIGNAL(URG),   SIGNAL(XCPU), SIGNAL(XFSZ),
		SIGNAL(VTALRM), SIGNAL(PROF), SIGNAL(WINCH), SIGNAL(POLL), SIGNAL(PWR),
		SIGNAL(SYS),
#undef SIGNAL
	};

	if (number > 0 && (size_t)number < sizeof(names) / sizeof(*names) && names[number])
		return text_format("SIG%s", names[number]);
	return text_format("signal %d", number);
}

char *text_join(char *list, const char *separator, char *more)
{
	char *longer = text_format("%s%s%s", list, *list && *more ? separator : "", more);

	free(list);
	free(more);
	return longer;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int64_t clock_ahead_ns(const char *clock)
{
	AUTO_CLOSE FILE *file = fopen("/proc/self/timens_offsets", "re");
	long long seconds, ns, ahead = 0;
	char name[32];

	while (file && fscanf(file, "%31s %lld %lld", name, &seconds, &ns) == 3)
		if (!strcmp(name, clock))
			ahead = seconds * 1000000000 + ns;
	return ahead;
}

static uint64_t clock_passed_ns;

void clock_pass(uint64_t ns)
{
	clock_passed_ns += ns;
}

uint64_t clock_ns(int clock)
{
	static int64_t ahead;
	static bool asked;
	struct timespec now;

	clock_gettime(clock, &now);
	if (clock == CLOCK_MONOTONIC && !asked) {
		ahead = clock_ahead_ns("monotonic");
		asked = true;
	}
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec + clock_passed_ns -
	       (clock == CLOCK_MONOTONIC ? (uint64_t)ahead : 0);
}
