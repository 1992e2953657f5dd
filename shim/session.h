/*
 * The session directory and the table of processes in it. Neighbours: life.c owns what is found
 * here.
 */
#ifndef MPSAN_SESSION_H
#define MPSAN_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "../include/mpsan_log.h"

/*
 * Finds or makes the session of this process and maps it. `directory` receives its path. With
 * MPSAN_DIR that directory is it (host.h has what a '%' in it means), and is made when it is not there
 * and `make` allows that; without, it is that of the nearest ancestor that has one, else a new one of our own.
 */
struct mpsan_session *session_join(char *directory, uint32_t bytes, bool make);

/* It was not joined because another host has made it, on a file system that both share. */
extern bool session_elsewhere;

/*
 * PID.START of a process, which no other has had since boot, and its parent; false when there is none, or no /proc.
 */
#define SESSION_NAME_BYTES 40
bool session_name(char name[SESSION_NAME_BYTES], uint32_t pid, uint32_t *parent);
/* True when the process that such a name begins with still lives. */
bool session_root_lives(const char *name);

#define SESSION_NO_SLOT UINT32_MAX

/*
 * Claims a free slot for a process. A process and its parent may both try: a slot of the same pid
 * without any of the flags `unless` is taken instead of a second one, if it was born since
 * `since_ns` (0: if it has not ended).
 */
uint32_t session_claim(struct mpsan_session *session, uint32_t pid, uint64_t since_ns,
		       uint16_t unless);

/* The newest slot of a process with this pid that has not ended, SESSION_NO_SLOT: none. */
uint32_t session_find(struct mpsan_session *session, uint32_t pid);
/* The same whether it has ended or not. */
uint32_t session_find_last(struct mpsan_session *session, uint32_t pid);

struct mpsan_process *session_table(struct mpsan_session *session);

/*
 * Whether a process still runs the image of its slot: not ended, not a zombie, not replaced by an
 * exec. One of another pid namespace counts as alive until its slot says otherwise.
 */
bool session_lives(const struct mpsan_process *process, uint64_t own_pid_ns);
/* What of that a slot and one system call tell: not whether it is a zombie, or a pid come again. */
bool session_has_ended(const struct mpsan_process *process, uint64_t own_pid_ns);

#endif
