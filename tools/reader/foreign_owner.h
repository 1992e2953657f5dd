/* Directories of others: whoever owns one above a session may put another in its place. */
#ifndef MPSAN_FOREIGN_OWNER_H
#define MPSAN_FOREIGN_OWNER_H

/* Who of the directories above `path` belongs to another user: NULL, or one line, owned by the caller. */
char *foreign_above(const char *path);

#endif
