/* SPDX-License-Identifier: Apache-2.0 */
/* Asks sock_diag(7) for the peers of Unix sockets. */
#include "unix_diag.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/filtered.h"
#include "../base/util.h"

/* Asks about one socket, or all in some states; the answer is to be read from the descriptor, -1. */
static int unix_diag_ask(uint32_t inode, uint32_t states, uint32_t show)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req body;
	} request = {
		.head = {.nlmsg_len = sizeof(request),
			 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST | (inode ? 0 : NLM_F_DUMP)},
		.body = {.sdiag_family = AF_UNIX,
			 .udiag_states = states,
			 .udiag_ino = inode,
			 .udiag_show = show,
			 .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	int fd = filtered_socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);

	if (fd >= 0 && send(fd, &request, sizeof(request), 0) != sizeof(request)) {
		close(fd);
		return -1;
	}
	return fd;
}

static const struct rtattr *attributes_of(const struct nlmsghdr *head, size_t *bytes)
{
	*bytes = head->nlmsg_len - NLMSG_LENGTH(sizeof(struct unix_diag_msg));
	return (const void *)((const char *)NLMSG_DATA(head) + sizeof(struct unix_diag_msg));
}

static void unix_diag_add(struct unix_ends *ends, uint32_t inode)
{
	if (inode && ends->count < UNIX_ENDS)
		ends->inode[ends->count++] = inode;
	else
		ends->unknown = true;
}

static void read_attribute(struct unix_ends *ends, const struct rtattr *attribute)
{
	uint32_t inode;

	if (attribute->rta_type != UNIX_DIAG_PEER && attribute->rta_type != UNIX_DIAG_ICONS)
		return;
	for (size_t at = 0; at + sizeof(inode) <= RTA_PAYLOAD(attribute); at += sizeof(inode)) {
		memcpy(&inode, (const char *)RTA_DATA(attribute) + at, sizeof(inode));
		unix_diag_add(ends, inode);
		if (attribute->rta_type == UNIX_DIAG_PEER)
			ends->peer = inode;
	}
}

#define LISTENS 10u /* TCP_LISTEN */

bool unix_diag_ends(uint64_t inode, struct unix_ends *ends)
{
	_Alignas(struct nlmsghdr) char answer[4096];
	int fd = unix_diag_ask((uint32_t)inode, UINT32_MAX, UDIAG_SHOW_PEER | UDIAG_SHOW_ICONS);
	ssize_t got = fd < 0 ? -1 : recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
	const struct nlmsghdr *head = (const void *)answer;
	const struct rtattr *attribute;
	size_t left;

	*ends = (struct unix_ends){0};
	if (fd >= 0)
		close(fd);
	if (got < 0 || !NLMSG_OK(head, (size_t)got) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return false;
	ends->listens = ((const struct unix_diag_msg *)NLMSG_DATA(head))->udiag_state == LISTENS;
	attribute = attributes_of(head, &left);
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		read_attribute(ends, attribute);
	return true;
}

/* ---- listeners ---- */

#define DUMP_BYTES 32768u

struct unix_search {
	const char *name;
	size_t bytes;
	uint32_t found; /* how many have that name */
	struct unix_listener listener;
};

/* A path ends with a zero byte, an abstract name does not. */
static bool has_name(const struct rtattr *attribute, const struct unix_search *search)
{
	size_t bytes = RTA_PAYLOAD(attribute);

	if (*search->name)
		bytes = strnlen(RTA_DATA(attribute), bytes);
	return bytes == search->bytes && !memcmp(RTA_DATA(attribute), search->name, bytes);
}

static void see_listener(const struct nlmsghdr *head, struct unix_search *search)
{
	const struct unix_diag_msg *socket = NLMSG_DATA(head);
	struct unix_listener listener = {.inode = socket->udiag_ino};
	struct unix_diag_rqlen length;
	bool named = false;
	size_t left;

	for (const struct rtattr *at = attributes_of(head, &left); RTA_OK(at, left);
	     at = RTA_NEXT(at, left)) {
		named |= at->rta_type == UNIX_DIAG_NAME && has_name(at, search);
		if (at->rta_type != UNIX_DIAG_RQLEN || RTA_PAYLOAD(at) < sizeof(length))
			continue;
		memcpy(&length, RTA_DATA(at), sizeof(length)); /* of a listener: used, and room */
		listener.full = length.udiag_rqueue > length.udiag_wqueue;
	}
	if (named && !search->found++)
		search->listener = listener;
}

/* Whether more is to be read. */
static bool read_dump(int fd, char *answer, struct unix_search *search)
{
	ssize_t got = recv(fd, answer, DUMP_BYTES, MSG_DONTWAIT);
	size_t left = got > 0 ? (size_t)got : 0;

	for (const struct nlmsghdr *head = (const void *)answer; NLMSG_OK(head, left);
	     head = NLMSG_NEXT(head, left)) {
		if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
			return false;
		see_listener(head, search);
	}
	return got > 0;
}

struct unix_listener unix_diag_listener(const char *name, size_t bytes)
{
	struct unix_search search = {.name = name, .bytes = bytes};
	int fd = unix_diag_ask(0, 1u << LISTENS, UDIAG_SHOW_NAME | UDIAG_SHOW_RQLEN);
	AUTO_FREE char *answer = memory_get(DUMP_BYTES);

	while (fd >= 0 && read_dump(fd, answer, &search))
		continue;
	if (fd >= 0)
		close(fd);
	return search.found == 1 ? search.listener : (struct unix_listener){0};
}
