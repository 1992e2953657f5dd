/*
 * As errnos.c, for the functions of libc with locks of their own and for the C++ and OpenMP runtimes. A second thread is
 * there: without one their hooks do nothing.
 */
// link: -lstdc++ -lgomp
#include "../preload/lib.h"

#include <dlfcn.h>
#include <grp.h>
#include <iconv.h>
#include <libintl.h>
#include <link.h>
#include <locale.h>
#include <netdb.h>
#include <pwd.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <wchar.h>

#include "../snippets/runtimes.h"
#include "calls.h"

static time_t noon = 43200;
static struct tm broken = {.tm_mday = 1};
static char text[128];
static wchar_t wide[16];

static void call_times(void)
{
	time_t never = INT64_MAX;
	locale_t plain = newlocale(LC_ALL_MASK, "C", NULL);

	VOID_CALL(tzset, tzset());
	CALL(localtime, localtime(&noon) != NULL);
	CALL(localtime, localtime(&never));
	CALL(localtime_r, localtime_r(&noon, &broken) != NULL);
	CALL(localtime_r, localtime_r(&never, &broken));
	CALL(gmtime, gmtime(&noon) != NULL);
	CALL(gmtime_r, gmtime_r(&never, &broken));
	broken = (struct tm){.tm_mday = 1};
	CALL(mktime, mktime(&broken));
	CALL(timelocal, timelocal(&broken));
	CALL(timegm, timegm(&broken));
	CALL(ctime, ctime(&noon) != NULL);
	CALL(ctime_r, ctime_r(&never, text));
	CALL(strftime, strftime(text, sizeof(text), "%Z %c", &broken));
	CALL(strftime_l, strftime_l(text, 1, "%Z", &broken, plain));
	CALL(wcsftime, wcsftime(wide, 16, L"%Z", &broken));
	CALL(wcsftime_l, wcsftime_l(wide, 1, L"%Z", &broken, plain));
}

static void call_random(void)
{
	VOID_CALL(srandom, srandom(1));
	CALL(random, random() % 100);
	VOID_CALL(srand, srand(1));
	CALL(rand, rand() % 100);
	CALL(initstate, initstate(1, text, sizeof(text)) != NULL);
	CALL(initstate, initstate(1, text, 1));
	CALL(setstate, setstate(text) != NULL);
}

static void call_environment(void)
{
	CALL(setenv, setenv("A", "1", 1));
	CALL(setenv, setenv("A=B", "1", 1));
	CALL(unsetenv, unsetenv("A"));
	CALL(unsetenv, unsetenv(""));
	CALL(putenv, putenv("A=1"));
}

static void call_locales(void)
{
	locale_t made;

	CALL(setlocale, setlocale(LC_ALL, "C") != NULL);
	CALL(setlocale, setlocale(LC_ALL, "no such locale"));
	CALL(newlocale, newlocale(LC_ALL_MASK, "no such locale", NULL) != NULL);
	made = newlocale(LC_ALL_MASK, "C", NULL);
	CALL(duplocale, (made = duplocale(made)) != NULL);
	VOID_CALL(freelocale, freelocale(made));
	CALL(textdomain, textdomain("mpsan") != NULL);
	CALL(bindtextdomain, bindtextdomain("mpsan", "/nowhere") != NULL);
	CALL(bindtextdomain, bindtextdomain("", "/nowhere"));
	CALL(iconv_open, iconv_open("no such", "charset") == (iconv_t)-1);
	CALL(iconv_close, iconv_close(iconv_open("UTF-8", "UTF-16")));
}

static void at_exit(void *argument)
{
	(void)argument;
}

static void on_exit_too(int status, void *argument)
{
	(void)status;
	(void)argument;
}

static void call_exits(void)
{
	CALL(__cxa_atexit, __cxa_atexit(at_exit, NULL, NULL));
	CALL(__cxa_at_quick_exit, __cxa_at_quick_exit(at_exit, NULL));
	CALL(on_exit, on_exit(on_exit_too, NULL));
}

static void call_databases(void)
{
	struct addrinfo *found = NULL;

	CALL(getpwnam, getpwnam("no such user, I think"));
	CALL(getpwuid, getpwuid(0) != NULL);
	CALL(getgrnam, getgrnam("no such group, I think"));
	CALL(getgrgid, getgrgid(0) != NULL);
	CALL(gethostbyname, gethostbyname("127.0.0.1") != NULL);
	CALL(gethostbyname2, gethostbyname2("127.0.0.1", AF_INET) != NULL);
	CALL(gethostbyaddr, gethostbyaddr("\177\0\0\1", 1, AF_INET) != NULL);
	CALL(getservbyname, getservbyname("no such service", "tcp"));
	CALL(getservbyport, getservbyport(1, "no such protocol"));
	CALL(getprotobyname, getprotobyname("no such protocol"));
	CALL(getaddrinfo, getaddrinfo("127.0.0.1", NULL, NULL, &found));
	CALL(getaddrinfo, getaddrinfo(NULL, NULL, NULL, &found) != 0);
}

static void call_listed(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	VOID_CALL(vsyslog, vsyslog(LOG_DEBUG, format, list));
	va_end(list);
	va_start(list, format);
	VOID_CALL(__vsyslog_chk, __vsyslog_chk(LOG_DEBUG, 1, format, list));
	va_end(list);
}

static void call_syslog(void)
{
	VOID_CALL(openlog, openlog("mpsan", LOG_NOWAIT, LOG_USER));
	CALL(setlogmask, setlogmask(LOG_MASK(LOG_EMERG)));
	VOID_CALL(syslog, syslog(LOG_DEBUG, "%d", 1));
	VOID_CALL(__syslog_chk, __syslog_chk(LOG_DEBUG, 1, "%d", 1));
	call_listed("%d", 1);
	VOID_CALL(closelog, closelog());
}

static int see(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	(void)data;
	return 7;
}

static void call_loader(void)
{
	CALL(dl_iterate_phdr, dl_iterate_phdr(see, NULL));
	CALL(dlopen, dlopen("libm.so.6", RTLD_LAZY) != NULL);
	CALL(dlopen, dlopen("/no/such/library.so", RTLD_LAZY));
	CALL(dlmopen, dlmopen(LM_ID_BASE, "libm.so.6", RTLD_LAZY) != NULL);
	CALL(dlmopen, dlmopen(LM_ID_BASE, "/no/such/library.so", RTLD_LAZY));
	CALL(dlclose, dlclose(dlopen("libm.so.6", RTLD_LAZY)));
	CALL(dlclose, dlclose(&noon) != 0);
}

static void call_guards(void)
{
	static uint64_t guard;

	CALL(__cxa_guard_acquire, __cxa_guard_acquire(&guard));
	VOID_CALL(__cxa_guard_abort, __cxa_guard_abort(&guard));
	CALL(__cxa_guard_acquire, __cxa_guard_acquire(&guard));
	VOID_CALL(__cxa_guard_release, __cxa_guard_release(&guard));
	CALL(__cxa_guard_acquire, __cxa_guard_acquire(&guard));
}

static void region(void *data)
{
	__atomic_fetch_add((int *)data, 1, __ATOMIC_RELAXED);
}

static void region_of_none(void *data)
{
	(void)data;
}

static void loop(void *data)
{
	region(data);
	GOMP_loop_end_nowait();
}

static void sections(void *data)
{
	region(data);
	while (GOMP_sections_next())
		;
	GOMP_sections_end_nowait();
}

/* Each region is entered by two threads, and counts them. */
static void call_regions(void)
{
	int n = 0;
	static uintptr_t none[16], *reductions = none;

	CALL(GOMP_parallel, (GOMP_parallel(region, &n, 2, 0), n));
	CALL(GOMP_parallel_start,
	     (GOMP_parallel_start(region, &n, 2), region(&n), GOMP_parallel_end(), n));
	CALL(GOMP_parallel_reductions, GOMP_parallel_reductions(region_of_none, &reductions, 1, 0));
	CALL(GOMP_parallel_sections, (GOMP_parallel_sections(sections, &n, 2, 3, 0), n));
	CALL(GOMP_parallel_sections_start, (GOMP_parallel_sections_start(sections, &n, 2, 3),
					    sections(&n), GOMP_parallel_end(), n));
#define LOOP_CALL(name, ...) CALL(name, (name(loop, &n, 2, 0, 9, 1, __VA_ARGS__), n))
#define LOOP_START_CALL(name, ...) \
	CALL(name, (name(loop, &n, 2, 0, 9, __VA_ARGS__), loop(&n), GOMP_parallel_end(), n))
	LOOP_CALL(GOMP_parallel_loop_static, 2, 0);
	LOOP_START_CALL(GOMP_parallel_loop_static_start, 1, 2);
	LOOP_CALL(GOMP_parallel_loop_dynamic, 2, 0);
	LOOP_START_CALL(GOMP_parallel_loop_dynamic_start, 1, 2);
	LOOP_CALL(GOMP_parallel_loop_guided, 2, 0);
	LOOP_START_CALL(GOMP_parallel_loop_guided_start, 1, 2);
	LOOP_CALL(GOMP_parallel_loop_runtime, 0);
	LOOP_START_CALL(GOMP_parallel_loop_runtime_start, 1);
	LOOP_CALL(GOMP_parallel_loop_nonmonotonic_dynamic, 2, 0);
	LOOP_CALL(GOMP_parallel_loop_nonmonotonic_guided, 2, 0);
	LOOP_CALL(GOMP_parallel_loop_nonmonotonic_runtime, 0);
	LOOP_CALL(GOMP_parallel_loop_maybe_nonmonotonic_runtime, 0);
	CALL(omp_pause_resource, omp_pause_resource(1, 0));
	CALL(omp_pause_resource_all, omp_pause_resource_all(1));
}

static void *second(void *argument)
{
	pause();
	return argument;
}

int main(void)
{
	pthread_t thread;

	must(pthread_create(&thread, NULL, second, NULL) == 0);
	call_times();
	call_random();
	call_environment();
	call_locales();
	call_exits();
	call_databases();
	call_syslog();
	call_loader();
	call_guards();
	call_regions();
	CALL(clearenv, clearenv());
	fflush(stdout);
	syscall(SYS_exit_group, 0);
}
