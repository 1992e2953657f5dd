/* The version, said here alone: the command, the library, the manual pages and the packages take it from this file. */
#ifndef MPSAN_VERSION_H
#define MPSAN_VERSION_H

#define MPSAN_VERSION "0.1.0"
#define MPSAN_RELEASED "November 21, 2026" /* the date of the manual pages */

#endif
