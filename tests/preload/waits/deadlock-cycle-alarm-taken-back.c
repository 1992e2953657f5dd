/* Alarms that were set and taken back end nothing. */
// expect: deadlock-cycle error
// ends: never
// frames: dead_end fill_main
#include "alarm_dead_end.h"

#include <sys/time.h>

int main(void)
{
	struct itimerval never = {0}, later = {.it_value = {.tv_sec = 600}};

	alarm(600);
	alarm(0);
	must(setitimer(ITIMER_REAL, &later, NULL) == 0);
	must(setitimer(ITIMER_REAL, &never, NULL) == 0);
	dead_end();
	return 0;
}
