/* A daemon logs each request by syslog(), and so does the handler of a timer, which interrupts it there. */
// expect: self-deadlock error
// says: SIGALRM
// within: 10
#include "lib.h"
#include <signal.h>
#include <sys/time.h>
#include <syslog.h>

static volatile unsigned long served;

static void log_state(int number)
{
	(void)number;
	syslog(LOG_INFO, "served %lu requests", served);
}

static NOINLINE void handle_request(void)
{
	syslog(LOG_DEBUG, "request %lu: GET /index.html", served);
	served++;
}

int main(void)
{
	struct itimerval every = {{0, 700}, {0, 700}};

	signal(SIGALRM, log_state);
	setitimer(ITIMER_REAL, &every, NULL);
	for (;;)
		handle_request();
}
