/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python's locks that are taken without libc, for lock_order.c: their methods are called through
 * functions of ours, which the interpreter finds in its own table of methods. Only with lock-order=yes.
 */
#pragma once

/* What to do with a lock: after it was taken, at its end. */
struct order_python {
	void (*took)(const void *lock);
	void (*ended)(const void *lock);
};

/* At any time when Python may have been loaded; does it once, with the GIL held. */
void order_python_start(struct order_python does);
