/* SPDX-License-Identifier: Apache-2.0 */
/* Asks sock_diag(7) for the peers of Unix sockets. */
#include "unix_diag.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../base/filtered.h"

static ssize_t unix_diag_ask(uint32_t inode, void *answer, size_t bytes)
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

bool unix_diag_ends(uint64_t inode, struct unix_ends *ends)
{
	_Alignas(struct nlmsghdr) char answer[4096];
	ssize_t got = unix_diag_ask((uint32_t)inode, answer, sizeof(answer));
	const struct nlmsghdr *head = (const void *)answer;
	const struct rtattr *attribute;
	size_t left;

	*ends = (struct unix_ends){0};
	if (got < 0 || !NLMSG_OK(head, (size_t)got) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return false;
	attribute = (const void *)((const char *)NLMSG_DATA(head) + sizeof(struct unix_diag_msg));
	left = head->nlmsg_len - NLMSG_LENGTH(sizeof(struct unix_diag_msg));
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		read_attribute(ends, attribute);
	return true;
}
