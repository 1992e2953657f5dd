/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only place of the version: the command, the library, manual pages and packages read it here.
 */
#ifndef MPSAN_VERSION_H
#define MPSAN_VERSION_H

#define MPSAN_VERSION "0.1.0"
#define MPSAN_RELEASED "November 21, 2026" /* the date of the manual pages */

#endif
