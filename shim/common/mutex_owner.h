/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TID of the thread that has a glibc mutex, from its memory. Robust and priority-inheriting
 * mutexes have it in their lock word, which the kernel reads; while such a mutex is inconsistent
 * (EOWNERDEAD was returned, pthread_mutex_consistent was not called), `__owner` is no TID.
 */
#pragma once

#include <stdint.h>

#define MUTEX_KIND_ROBUST 0x10
#define MUTEX_KIND_PI 0x20
#define MUTEX_KIND_SHARED 0x80
#define MUTEX_TID_MASK 0x3fffffffu

#define MUTEX_INCONSISTENT 0x7fffffffu /* __owner */

/* 0: no thread, or it is just changing. */
static inline uint32_t mutex_owner(int kind, uint32_t lock, uint32_t owner)
{
	uint32_t tid = lock & MUTEX_TID_MASK;

	if (!(kind & (MUTEX_KIND_ROBUST | MUTEX_KIND_PI)))
		return owner;
	return tid == owner || owner == MUTEX_INCONSISTENT ? tid : 0;
}
