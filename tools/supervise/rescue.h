/*
 * What `mpsan run` owes its program when it cannot go on itself, for want of memory, disk, descriptors or processes,
 * or by a fault of its own: the program runs to its end, gets its signals, and its status is handed on. One line
 * says so. Neighbours: program_state.h, launch.h.
 */
#ifndef MPSAN_RESCUE_H
#define MPSAN_RESCUE_H

#include <stdbool.h>
#include <sys/types.h>

#include "launch.h"

/* `argv`: the program, which stays the caller's, as all that is handed over here. */
void rescue_prepare(char **argv);

/* Starts it, see launch.h. 0 with errno: it could not be. `dir`: to be removed when there is nothing more to rescue, or NULL. */
pid_t rescue_start(const struct launch_variable *variables, const char *dir);

/*
 * With the status that the program has had so far. A signal from now on ends the command soon, a second one at once:
 * what is left to do is mpsan's own.
 */
void rescue_ended(int status);
/* Whether there was such a signal. */
bool rescue_is_due(void);

/* Never returns. `why` is a line without its end. Safe in a signal handler once the program runs. */
_Noreturn void rescue(const char *why);

/* The same where not even a child could be waited for: this process becomes the program. Nothing was prepared. */
_Noreturn void rescue_at_once(char **argv, const char *why);

#endif
