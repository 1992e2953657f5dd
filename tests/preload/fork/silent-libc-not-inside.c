// Threads use libc's functions with inner locks, but none of them is inside at a fork; the children use them all.
// expect: none
#include "lib.h"

#include <grp.h>
#include <link.h>
#include <locale.h>
#include <pwd.h>

static struct gate used;

static int see(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	(void)data;
	return 1;
}

static void nothing(void)
{
}

static void use_all(void)
{
	time_t now = 0;
	struct tm tm;
	char text[64];

	localtime_r(&now, &tm);
	mktime(&tm);
	strftime(text, sizeof(text), "%Z", &tm);
	setenv("A", "1", 1);
	srandom((unsigned)random());
	atexit(nothing);
	getpwuid(0);
	getgrgid(0);
	setlocale(LC_ALL, "C");
	dl_iterate_phdr(see, NULL);
}

static void *in_thread(void *argument)
{
	use_all();
	gate_open(&used);
	pause();
	return argument;
}

static void in_child(void)
{
	for (int i = 0; i < 100; i++)
		use_all();
	live_on();
	exit(0);
}

int main(void)
{
	pthread_t thread;

	gate_init(&used);
	for (int i = 0; i < 4; i++) {
		must(pthread_create(&thread, NULL, in_thread, NULL) == 0);
		gate_wait(&used);
	}
	return child_run(in_child);
}
