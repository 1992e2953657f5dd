/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which collective of torch.distributed a thread is, by its Python frames. Pure. Neighbour: ranks.h
 * asks for the threads of a snapshot.
 */
#pragma once

#include <stdbool.h>

#define COLLECTIVE_NAME 48u
#define COLLECTIVE_PLACE 128u

struct collective {
	/* the function that the program called: "all_reduce"; "": the thread is elsewhere */
	char name[COLLECTIVE_NAME];
	char place[COLLECTIVE_PLACE]; /* where: "train.py:88"; "": unknown */
	bool by_store; /* it asks the store again and again, so the thread never rests */
	bool by_backward; /* of autograd, which waits for others only if hooks reduce gradients */
};

/* `stack`: "function TAB file TAB line" for each frame, innermost first. */
struct collective collective_of(const char *stack);

/* The same for a thread that waits in Work.wait, which has no frame, for what it began before. */
struct collective collective_of_work(const char *stack);
/* Whether it is that: what was begun, and in which group, is not known. */
bool collective_is_work(const struct collective *in);

/* The innermost frame of the program's own, as the place above; or of a library, if there is no other. */
void collective_place(const char *stack, char place[COLLECTIVE_PLACE]);
