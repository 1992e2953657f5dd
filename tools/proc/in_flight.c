/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the peers of Unix sockets with unread descriptors. */
#include "in_flight.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "proc.h"

#define ENDS_MAX 64u

/* The peers of a socket. */
struct ends {
	uint32_t inode[ENDS_MAX];
	uint32_t count;
	bool unknown; /* one is closed, or there are more */
};

uint64_t flight_socket(const struct descriptor *descriptor)
{
	unsigned long inode;

	return sscanf(descriptor->target, "socket:[%lu]", &inode) == 1 ? inode : 0;
}

/* ---- sock_diag(7) ---- */

static ssize_t in_flight_ask(uint32_t inode, void *answer, size_t bytes)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req body;
	} request = {
		.head = {.nlmsg_len = sizeof(request),
			 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST},
		.body = {.sdiag_family = AF_UNIX,
			 .udiag_states = UINT32_MAX,
			 .udiag_ino = inode,
			 .udiag_show = UDIAG_SHOW_PEER | UDIAG_SHOW_ICONS,
			 .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	int fd = filtered_socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
	ssize_t got = -1;

	if (fd >= 0 && send(fd, &request, sizeof(request), 0) == sizeof(request))
		got = recv(fd, answer, bytes, MSG_DONTWAIT);
	if (fd >= 0)
		close(fd);
	return got;
}

static void in_flight_add(struct ends *ends, uint32_t inode)
{
	if (inode && ends->count < ENDS_MAX)
		ends->inode[ends->count++] = inode;
	else
		ends->unknown = true;
}

static void read_attribute(struct ends *ends, const struct rtattr *attribute)
{
	uint32_t inode;

	if (attribute->rta_type != UNIX_DIAG_PEER && attribute->rta_type != UNIX_DIAG_ICONS)
		return;
	for (size_t at = 0; at + sizeof(inode) <= RTA_PAYLOAD(attribute); at += sizeof(inode)) {
		memcpy(&inode, (const char *)RTA_DATA(attribute) + at, sizeof(inode));
		in_flight_add(ends, inode);
	}
}

/*
 * A socket without a peer and without pending connections had one when it received the descriptors.
 */
static void find_ends(uint32_t socket, struct ends *ends)
{
	_Alignas(struct nlmsghdr) char answer[4096];
	ssize_t got = in_flight_ask(socket, answer, sizeof(answer));
	const struct nlmsghdr *head = (const void *)answer;
	const struct rtattr *attribute;
	size_t left;

	*ends = (struct ends){.unknown = true};
	if (got < 0 || !NLMSG_OK(head, (size_t)got) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return;
	ends->unknown = false;
	attribute = (const void *)((const char *)NLMSG_DATA(head) + sizeof(struct unix_diag_msg));
	left = head->nlmsg_len - NLMSG_LENGTH(sizeof(struct unix_diag_msg));
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		read_attribute(ends, attribute);
	ends->unknown |= !ends->count;
}

/* ---- their owners ---- */

struct search {
	const struct ends *ends;
	const struct flight_job *job;
	bool found;
};

static void see_descriptor(const struct descriptor *descriptor, void *context)
{
	struct search *search = context;
	uint64_t inode = flight_socket(descriptor);

	for (uint32_t i = 0; inode && i < search->ends->count; i++)
		search->found |= search->ends->inode[i] == inode;
}

static void see_process(uint32_t pid, void *context)
{
	struct search *search = context;

	if (!search->found && proc_descends(pid, search->job->is_ours, search->job->context))
		search->found |= !descriptors_each(pid, see_descriptor, search);
}

bool flight_may_be_ours(uint64_t inode, const struct flight_job *job)
{
	struct ends ends;
	struct search search = {&ends, job, false};

	find_ends((uint32_t)inode, &ends);
	if (ends.unknown && job->sends)
		return true;
	if (ends.count)
		proc_each(see_process, &search);
	return search.found;
}
