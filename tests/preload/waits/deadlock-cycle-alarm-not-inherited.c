/* The parent has an alarm far ahead, which a fork does not inherit: its child's dead end stays one. */
// expect: deadlock-cycle error
// ends: never
// frames: dead_end fill_main
#include "alarm_dead_end.h"

int main(void)
{
	alarm(600);
	return child_run(dead_end);
}
