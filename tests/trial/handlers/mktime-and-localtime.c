/* A status line by a timer's handler asks for the local time, while mktime(), which it interrupts, reads the time zone. */
// expect: self-deadlock error
// says: SIGALRM
// within: 10
#include "lib.h"
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile int year;

static void show_time(int number)
{
	time_t now = time(NULL);

	(void)number;
	year = localtime(&now)->tm_year;
}

int main(void)
{
	struct itimerval every = {{0, 500}, {0, 500}};
	struct tm day = {.tm_year = 120};

	signal(SIGALRM, show_time);
	setitimer(ITIMER_REAL, &every, NULL);
	for (;;) {
		day.tm_mday = 1;
		mktime(&day);
	}
}
