/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a Python thread waits for, by the frames of its stack: "an item of a queue.Queue" where the
 * kernel only sees a futex. Pure; the tables are in awaited.def. Neighbours: the reader adds it to
 * each blocked thread, ../evidence/text_waits.h puts it into words.
 */
#pragma once

#include <stdbool.h>

#include "pyframe.h"
#include "wait_kinds.h"

enum awaited {
	AWAITED_NOTHING, /* the frames do not say */
#define AWAITED(name, nature, meant, phrase, object) AWAITED_##name,
#include "awaited.def"
};

enum awaited_nature { AWAITED_SENT, AWAITED_LOCAL, AWAITED_LOCK, AWAITED_END };

/* Meaning of the frames so far, innermost first; begins as {0}. */
struct awaited_frames {
	enum awaited what;
	enum parked_wait meant; /* how the wait looks in a program that is idle on purpose */
	bool over; /* a frame of the program's own was reached */
	bool in_task; /* a worker of a pool that runs a task */
	bool in_callback; /* of an event loop of asyncio: what it waits for is its own */
	bool looped; /* a frame of asyncio's own loop was reached */
	bool in_hub; /* of gevent: other greenlets' frames are not there */
	bool serves; /* a thread of a manager that acts for a client */
	bool logs; /* in a handler of logging, which has its lock meanwhile */
	bool tests; /* by Condition.wait_for, which calls wait() in a loop */
	bool delivers; /* the thread of a Pool that delivers results */
	bool feeds; /* the thread of a multiprocessing.Queue that sends items */
	/*
	 * The frames leave open whether a thread of a ThreadPool waits for a task, as `what` says, or
	 * runs one that is written in C.
	 */
	bool either;
	enum { AWAITED_INMOST, AWAITED_GET, AWAITED_OTHER } last; /* the frame before */
	bool decided; /* the worker's function was met */
};

/* Adds the next outer frame. */
void awaited_add(struct awaited_frames *frames, const struct pyframe *frame);

/* All frames of a text; NULL for none. */
struct awaited_frames awaited_of(const char *text);

/* Whether it waits for results that tasks of its process deliver. */
bool awaited_is_result(struct awaited_frames frames);

enum awaited_nature awaited_nature(enum awaited what);
bool awaited_is_sent(enum awaited what); /* SENT or LOCAL */
/* Whether it is an object of asyncio, by which the coroutines of a loop wait for each other. */
bool awaited_is_async(enum awaited what);
const char *awaited_phrase(enum awaited what); /* "" for NOTHING */
const char *awaited_object(enum awaited what); /* the type behind the phrase; "": none */
