/* What the hooks of process.c and syscall.c share. */
#ifndef MPSAN_HOOKS_PROCESS_H
#define MPSAN_HOOKS_PROCESS_H

#include <stdint.h>

#include "../record/seccomp.h"

/* A call that filters system calls has come back with this; returns it. */
uint64_t process_filtered(const struct seccomp_coming *coming, int64_t result);

/* It asks for this signal at the end of its parent; 0: for none. */
void process_follows(uint64_t signal);

#endif
