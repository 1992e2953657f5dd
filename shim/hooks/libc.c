/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of libc functions with internal locks that glibc's fork does not reset: a thread is marked
 * while it is inside one. Not here: functions whose locks fork takes or resets (malloc, stdio,
 * getenv, dlsym, system, the _r forms of the user and group databases; see glibc's posix/fork.c),
 * and those without a lock (asctime, setlocale(…, NULL), drand48). The hooks of sem_open and popen
 * are with their families.
 *
 * A process that never had a second thread pays only for the test of one flag.
 */
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <syslog.h>
#include <time.h>
#include <wchar.h>

#include "../cuda/cuda.h"
#include "../intercept/hook.h"
#include "../locks/libc_locks.h"

int __cxa_atexit(void (*f)(void *), void *argument, void *dso);
int __cxa_at_quick_exit(void (*f)(void *), void *dso);
void __syslog_chk(int priority, int flag, const char *format, ...);
void __vsyslog_chk(int priority, int flag, const char *format, va_list list);

#define TIME_ZONE "time-zone lock"
#define RANDOM "random-number lock"
#define ENVIRONMENT "environment lock"
#define LOCALE "locale lock"
#define CATALOG "message-catalog lock"
#define CONVERSION "conversion-table lock"
#define EXIT_LIST "exit-handler list"
#define SYSLOG "syslog lock"
#define RESOLVER "resolver's lock"
#define LOADED LIBC_LOCK_LOADED

/* All hooks have the same form: VALUE returns a value, VOID does not. */
#define MARK(name, lock) \
	static const struct libc_lock_mark mark_##name = LIBC_LOCK_MARK(lock, #name);

#define VALUE(type, name, lock, parameters, arguments)        \
	MARK(name, lock)                                      \
	EXPORT type name parameters                           \
	{                                                     \
		ENTER(name);                                  \
		type result;                                  \
		uint64_t wait;                                \
                                                              \
		if (LIKELY(!sys_threaded))                    \
			return REAL(name) arguments;          \
		wait = libc_lock_begin(&mark_##name, CALLER); \
		result = REAL(name) arguments;                \
		libc_lock_end(&mark_##name, wait);            \
		return result;                                \
	}

#define VOID(name, lock, parameters, arguments)                                           \
	MARK(name, lock)                                                                  \
	EXPORT void name parameters                                                       \
	{                                                                                 \
		ENTER(name);                                                              \
		uint64_t wait = sys_threaded ? libc_lock_begin(&mark_##name, CALLER) : 0; \
                                                                                          \
		REAL(name) arguments;                                                     \
		if (sys_threaded)                                                         \
			libc_lock_end(&mark_##name, wait);                                \
	}

/* Hooks of the environment, which also check for variables that CUDA has already read. */
#define VARIABLE(name, variable, parameters, arguments)               \
	MARK(name, ENVIRONMENT)                                       \
	EXPORT int name parameters                                    \
	{                                                             \
		ENTER(name);                                          \
		struct cuda_env env;                                  \
		uint64_t wait = 0;                                    \
		int result;                                           \
                                                                      \
		env.watched = false;                                  \
		if (UNLIKELY(cuda.initialised))                       \
			cuda_env_before(&env, variable);              \
		if (sys_threaded)                                     \
			wait = libc_lock_begin(&mark_##name, CALLER); \
		result = REAL(name) arguments;                        \
		if (sys_threaded)                                     \
			libc_lock_end(&mark_##name, wait);            \
		if (UNLIKELY(env.watched))                            \
			cuda_env_after(&env, CALLER);                 \
		return result;                                        \
	}

/* clang-format off */
VALUE(struct tm *, localtime, TIME_ZONE, (const time_t *t), (t))
VALUE(struct tm *, localtime_r, TIME_ZONE, (const time_t *restrict t, struct tm *restrict to), (t, to))
VALUE(struct tm *, gmtime, TIME_ZONE, (const time_t *t), (t))
VALUE(struct tm *, gmtime_r, TIME_ZONE, (const time_t *restrict t, struct tm *restrict to), (t, to))
VALUE(time_t, mktime, TIME_ZONE, (struct tm *t), (t))
VALUE(time_t, timelocal, TIME_ZONE, (struct tm *t), (t))
VALUE(time_t, timegm, TIME_ZONE, (struct tm *t), (t))
VALUE(char *, ctime, TIME_ZONE, (const time_t *t), (t))
VALUE(char *, ctime_r, TIME_ZONE, (const time_t *restrict t, char *restrict to), (t, to))
VALUE(size_t, strftime, TIME_ZONE, (char *restrict to, size_t n, const char *restrict format, const struct tm *restrict t), (to, n, format, t))
VALUE(size_t, strftime_l, TIME_ZONE, (char *restrict to, size_t n, const char *restrict format, const struct tm *restrict t, locale_t l), (to, n, format, t, l))
VALUE(size_t, wcsftime, TIME_ZONE, (wchar_t *restrict to, size_t n, const wchar_t *restrict format, const struct tm *restrict t), (to, n, format, t))
VALUE(size_t, wcsftime_l, TIME_ZONE, (wchar_t *restrict to, size_t n, const wchar_t *restrict format, const struct tm *restrict t, locale_t l), (to, n, format, t, l))
VOID(tzset, TIME_ZONE, (void), ())

VALUE(long, random, RANDOM, (void), ())
VOID(srandom, RANDOM, (unsigned seed), (seed))
VALUE(int, rand, RANDOM, (void), ())
VOID(srand, RANDOM, (unsigned seed), (seed))
VALUE(char *, initstate, RANDOM, (unsigned seed, char *state, size_t n), (seed, state, n))
VALUE(char *, setstate, RANDOM, (char *state), (state))

VARIABLE(setenv, name, (const char *name, const char *value, int over), (name, value, over))
VARIABLE(unsetenv, name, (const char *name), (name))
VARIABLE(putenv, text, (char *text), (text))
VARIABLE(clearenv, NULL, (void), ())

VALUE(char *, setlocale, LOCALE, (int category, const char *name), (category, name))
VALUE(locale_t, newlocale, LOCALE, (int mask, const char *name, locale_t base), (mask, name, base))
VALUE(locale_t, duplocale, LOCALE, (locale_t l), (l))
VOID(freelocale, LOCALE, (locale_t l), (l))
VALUE(char *, textdomain, CATALOG, (const char *name), (name))
VALUE(char *, bindtextdomain, CATALOG, (const char *name, const char *directory), (name, directory))
VALUE(iconv_t, iconv_open, CONVERSION, (const char *to, const char *from), (to, from))
VALUE(int, iconv_close, CONVERSION, (iconv_t conversion), (conversion))

VALUE(int, __cxa_atexit, EXIT_LIST, (void (*f)(void *), void *argument, void *dso), (f, argument, dso))
VALUE(int, __cxa_at_quick_exit, EXIT_LIST, (void (*f)(void *), void *dso), (f, dso))
VALUE(int, on_exit, EXIT_LIST, (void (*f)(int, void *), void *argument), (f, argument))

VALUE(struct passwd *, getpwnam, "getpwnam lock", (const char *name), (name))
VALUE(struct passwd *, getpwuid, "getpwuid lock", (uid_t id), (id))
VALUE(struct group *, getgrnam, "getgrnam lock", (const char *name), (name))
VALUE(struct group *, getgrgid, "getgrgid lock", (gid_t id), (id))
VALUE(struct hostent *, gethostbyname, "gethostbyname lock", (const char *name), (name))
VALUE(struct hostent *, gethostbyname2, "gethostbyname2 lock", (const char *name, int family), (name, family))
VALUE(struct hostent *, gethostbyaddr, "gethostbyaddr lock", (const void *address, socklen_t n, int family), (address, n, family))
VALUE(struct servent *, getservbyname, "getservbyname lock", (const char *name, const char *protocol), (name, protocol))
VALUE(struct servent *, getservbyport, "getservbyport lock", (int port, const char *protocol), (port, protocol))
VALUE(struct protoent *, getprotobyname, "getprotobyname lock", (const char *name), (name))
VALUE(int, getaddrinfo, RESOLVER, (const char *restrict node, const char *restrict service, const struct addrinfo *restrict hints, struct addrinfo **restrict to), (node, service, hints, to))

VOID(vsyslog, SYSLOG, (int priority, const char *format, va_list list), (priority, format, list))
VOID(__vsyslog_chk, SYSLOG, (int priority, int flag, const char *format, va_list list), (priority, flag, format, list))
VOID(openlog, SYSLOG, (const char *name, int options, int facility), (name, options, facility))
VOID(closelog, SYSLOG, (void), ())
VALUE(int, setlogmask, SYSLOG, (int mask), (mask))

/*
 * The walk is of the caller's namespace; only callers in the program's namespace reach this hook.
 */
VALUE(int, dl_iterate_phdr, LOADED, (int (*see)(struct dl_phdr_info *, size_t, void *), void *data), (see, data))
/* clang-format on */

/* Variable arguments can only be passed on to the form that takes a va_list. */
#define SYSLOG_AS(name, real, ...)                                    \
	do {                                                          \
		uint64_t wait = 0;                                    \
		va_list list;                                         \
                                                                      \
		if (sys_threaded)                                     \
			wait = libc_lock_begin(&mark_##name, CALLER); \
		va_start(list, format);                               \
		REAL(real)(__VA_ARGS__, list);                        \
		va_end(list);                                         \
		if (sys_threaded)                                     \
			libc_lock_end(&mark_##name, wait);            \
	} while (0)

MARK(syslog, SYSLOG)
EXPORT void syslog(int priority, const char *format, ...)
{
	ENTER(syslog);
	SYSLOG_AS(syslog, vsyslog, priority, format);
}

MARK(__syslog_chk, SYSLOG)
EXPORT void __syslog_chk(int priority, int flag, const char *format, ...)
{
	ENTER(__syslog_chk);
	SYSLOG_AS(__syslog_chk, __vsyslog_chk, priority, flag, format);
}
