/*
 * In which order locks are taken: asked for with lock-order=yes, and not there otherwise. The hooks
 * know nothing of it. order_start puts functions of its own between them and the real ones; these
 * look at what the thread holds already and state each new pair once. Neighbours: pairs.h
 * remembers what was stated, rules/lock_order_inversion.c judges.
 */
#ifndef MPSAN_ORDER_H
#define MPSAN_ORDER_H

void order_start(void);

#endif
