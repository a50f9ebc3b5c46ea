/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The two ends of a reproducer that runs on two hosts. They take turns, and
 * tell each other numbers (queue pair, key, address, GID, LID) over TCP.
 */
#pragma once
#include <getopt.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "program/repro/parts/device.h"

/* part: to_other from_other tell hear end_of_session */
static FILE *to_other, *from_other; /* the connection to the other end */

static void end_of_session(void)
{
	fputs("the other end has stopped\n", stderr);
	exit(2);
}

static void tell(unsigned long long number)
{
	if (fprintf(to_other, "%llu\n", number) < 0 || fflush(to_other))
		end_of_session();
}

static unsigned long long hear(void)
{
	unsigned long long number = 0;

	if (fscanf(from_other, "%llu", &number) != 1)
		end_of_session();
	return number;
}

/* part: pass_turn */
static void pass_turn(void)
{
	tell(1);
}

/* part: take_turn */
static void take_turn(void)
{
	hear();
}

/* part: tell_region */
static void tell_region(const struct ibv_mr *mr)
{
	tell((uintptr_t)mr->addr);
	tell(mr->length);
	tell(mr->lkey);
	tell(mr->rkey);
}

/* part: hear_region */
/* Takes the numbers of a region of the other end. */
static void hear_region(struct ibv_mr *mr)
{
	mr->addr = (void *)(uintptr_t)hear();
	mr->length = (size_t)hear();
	mr->lkey = (uint32_t)hear();
	mr->rkey = (uint32_t)hear();
}

/* part: meet_other */
static int accept_at(const struct addrinfo *at)
{
	int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
	int on = 1, accepted = -1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, 1))
		accepted = accept(fd, NULL, NULL);
	close(fd);
	return accepted;
}

static int connect_at(const struct addrinfo *at)
{
	int fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);

	if (fd >= 0 && !connect(fd, at->ai_addr, at->ai_addrlen))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Waits up to 10 s for a server that has not started yet. */
static int connect_to(const struct addrinfo *list)
{
	int fd = -1;

	for (int i = 0; i < 100 && fd < 0; i++) {
		if (i)
			usleep(100000);
		for (const struct addrinfo *a = list; a && fd < 0;
		     a = a->ai_next)
			fd = connect_at(a);
	}
	return fd;
}

/* A socket of IPv6 takes IPv4 as well, but a host may lack IPv6. */
static int accept_from(const struct addrinfo *list)
{
	int fd = -1;

	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		if (a->ai_family == AF_INET6)
			fd = accept_at(a);
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = accept_at(a);
	return fd;
}

/* Connects both ends; host is NULL at the server. */
static void meet_other(const char *host, const char *service)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = host ? 0 : AI_PASSIVE,
	};
	struct addrinfo *list = NULL;
	int error = getaddrinfo(host, service, &hints, &list), fd;

	if (error) {
		fprintf(stderr, "%s, port %s: %s\n", host ? host : "server",
			service, gai_strerror(error));
		exit(2);
	}
	fd = host ? connect_to(list) : accept_from(list);
	freeaddrinfo(list);
	if (fd >= 0) {
		to_other = fdopen(fd, "w");
		from_other = fdopen(dup(fd), "r");
	}
	if (!to_other || !from_other) {
		fprintf(stderr, "cannot %s port %s\n",
			host ? "connect to" : "listen at", service);
		exit(2);
	}
	signal(SIGPIPE, SIG_IGN);
}

/* part: exchange_ports */
static void tell_port(uint8_t number, const struct ibv_port_attr *attr,
		      uint32_t type, const union ibv_gid *at)
{
	tell(number);
	tell(attr->link_layer);
	tell(attr->lid);
	tell(attr->active_mtu);
	tell(attr->max_mtu);
	tell(attr->max_msg_sz);
	tell((unsigned int)attr->gid_tbl_len);
	tell(attr->pkey_tbl_len);
	tell(type);
	for (int i = 0; i < 16; i++)
		tell(at->raw[i]);
}

static void hear_port(uint8_t *number, struct ibv_port_attr *attr,
		      uint32_t *type, union ibv_gid *at)
{
	*number = (uint8_t)hear();
	attr->link_layer = (uint8_t)hear();
	attr->lid = (uint16_t)hear();
	attr->active_mtu = (enum ibv_mtu)hear();
	attr->max_mtu = (enum ibv_mtu)hear();
	attr->max_msg_sz = (uint32_t)hear();
	attr->gid_tbl_len = (int)hear();
	attr->pkey_tbl_len = (uint16_t)hear();
	*type = (uint32_t)hear();
	for (int i = 0; i < 16; i++)
		at->raw[i] = (uint8_t)hear();
}

static void exchange_as_client(void)
{
	struct ibv_gid_entry own;
	uint32_t type;

	choose_port();
	choose_gid();
	if (ibv_query_gid_ex(ctx, port, (uint32_t)gid_index, &own, 0))
		memset(&own, 0, sizeof(own));
	tell_port(port, &port_attr, own.gid_type, &gid);
	hear_port(&second_port, &second_attr, &type, &second_gid);
	second_gid_index = (int)hear();
}

static int same_bits(const union ibv_gid *a, const union ibv_gid *b)
{
	int n = 0;

	while (n < 128 && !((a->raw[n / 8] ^ b->raw[n / 8]) >> (7 - n % 8) & 1))
		n++;
	return n;
}

/* The server has the second device. Its GID is of the type and family of the
 * client's, and the one with the longest common prefix, if -x names none. */
static void exchange_as_server(void)
{
	union ibv_gid far_gid;
	uint32_t type;
	struct ibv_port_attr far = {0};
	uint8_t far_port;
	int chosen = gid_index, best = -1;

	second_ctx = ctx;
	choose_port();
	second_port = port;
	second_attr = port_attr;
	hear_port(&far_port, &far, &type, &far_gid);
	for (int i = 0; gid_index < 0 && i < second_attr.gid_tbl_len; i++) {
		struct ibv_gid_entry entry;

		if (ibv_query_gid_ex(ctx, second_port, (uint32_t)i, &entry,
				     0) ||
		    (far.link_layer == IBV_LINK_LAYER_ETHERNET &&
		     (entry.gid_type != type ||
		      is_ipv4(&entry.gid) != is_ipv4(&far_gid) ||
		      is_local(&entry.gid) != is_local(&far_gid))) ||
		    same_bits(&entry.gid, &far_gid) <= best)
			continue;
		best = same_bits(&entry.gid, &far_gid);
		chosen = i;
	}
	gid_index = chosen < 0 ? 0 : chosen;
	choose_gid();
	second_gid_index = gid_index;
	second_gid = gid;
	port = far_port;
	port_attr = far;
	gid = far_gid;
	tell_port(second_port, &second_attr, type, &second_gid);
	tell((unsigned int)second_gid_index);
}

static void exchange_ports(bool server)
{
	if (server)
		exchange_as_server();
	else
		exchange_as_client();
	link_mtu = port_attr.active_mtu < second_attr.active_mtu
			   ? port_attr.active_mtu
			   : second_attr.active_mtu;
}
