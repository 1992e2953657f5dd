/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order locks are taken: asked for with lock-order=yes, and not there otherwise. The hooks
 * know nothing of it. lock_order_start puts functions of its own between them and the real ones; these
 * look at what the thread holds already and state each new pair once. Neighbours: lock_order_edges.h
 * remembers what was stated, rules/lock_order_inversion.c judges.
 */
#ifndef MPSAN_LOCK_ORDER_H
#define MPSAN_LOCK_ORDER_H

void lock_order_start(void);

#endif
