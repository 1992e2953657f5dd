/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for a collective that was begun with async_op=True: Work.wait is C++, without a frame of Python
 * other than its caller's. Neighbour: collective.h knows those that have one.
 */
#pragma once

#include "../waits/native.h"

/* Whether a thread is in Work.wait, by its native stack. */
bool async_work_waits(struct native *native, const struct snapshot_thread *thread);
