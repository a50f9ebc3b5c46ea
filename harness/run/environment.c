/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the versions of kernel and libraries. libibverbs has no call for its
 * version, so that is taken from the name of the loaded file:
 * libibverbs.so.1.14.44.0 belongs to rdma-core 44.0.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "journal/utf8_json.h"
#include "run/environment.h"

/* The part of "libibverbs.so.1.14.44.0" after the ABI's 1.14, or NULL. */
static const char *version_in(const char *path)
{
	const char *at = strstr(path, ".so.");

	if (!at)
		return NULL;
	at = strchr(at + strlen(".so."), '.');
	at = at ? strchr(at + 1, '.') : NULL;
	return at ? at + 1 : NULL;
}

static char *library_path(void)
{
	union {
		struct ibv_device **(*call)(int *);
		void *address;
	} symbol = {.call = ibv_get_device_list};
	Dl_info info;

	if (!dladdr(symbol.address, &info) || !info.dli_fname)
		return NULL;
	return realpath(info.dli_fname, NULL);
}

void environment_rdma_core_version(char *buf, size_t len)
{
	char *library = library_path();
	const char *version = library ? version_in(library) : NULL;

	snprintf(buf, len, "%s", version ? version : "unknown");
	free(library);
}

/* The release of a Debian kernel is 6.1.0-56-amd64, and its version text has
 * "Debian 6.1.192-2". */
void environment_kernel_version(char *buf, size_t len)
{
	struct utsname host;
	const char *at;

	if (uname(&host))
		memset(&host, 0, sizeof(host));
	at = strstr(host.version, "Debian ");
	if (at)
		at += strlen("Debian ");
	else
		at = host.release;
	snprintf(buf, len, "%.*s", (int)strcspn(at, " "), at);
}

/* A taint that is not 0 says that this kernel has printed a warning or was
 * modified before the run. */
static json_t *taint_json(void)
{
	FILE *file = fopen("/proc/sys/kernel/tainted", "re");
	unsigned long long taint;
	bool known;

	if (!file)
		return json_null();
	known = fscanf(file, "%llu", &taint) == 1;
	fclose(file);
	return known ? json_integer((json_int_t)taint) : json_null();
}

json_t *environment_of_host(void)
{
	char *library = library_path(), version[64];
	struct utsname host;
	json_t *json;

	environment_rdma_core_version(version, sizeof(version));
	if (uname(&host))
		memset(&host, 0, sizeof(host));
	json = json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "ibvet",
			 IBVET_VERSION, "host", utf8_json(host.nodename),
			 "kernel", utf8_json(host.release), "taint",
			 taint_json(), "machine", utf8_json(host.machine),
			 "rdma_core", utf8_json(version), "libibverbs",
			 utf8_json(library ? library : "unknown"));
	free(library);
	return json;
}

void environment_host_text(char *buf, size_t len)
{
	char kernel[64], rdma_core[64];
	struct utsname host = {.nodename = "unknown"};

	uname(&host);
	environment_kernel_version(kernel, sizeof(kernel));
	environment_rdma_core_version(rdma_core, sizeof(rdma_core));
	snprintf(buf, len, "%.40s, kernel %s, rdma-core %s, ibvet %s",
		 host.nodename, kernel, rdma_core, IBVET_VERSION);
}

void environment_host_version(const char *text, const char *word, char *buf,
			      size_t len)
{
	char before[32];
	const char *at;

	snprintf(before, sizeof(before), ", %s ", word);
	at = strstr(text, before);
	at = at ? at + strlen(before) : "unknown";
	snprintf(buf, len, "%.*s", (int)strcspn(at, ","), at);
}

const char *environment_link_layer(const struct device_info *info)
{
	if (device_iwarp(info))
		return "iWARP";
	switch (device_port(info)->attr.link_layer) {
	case IBV_LINK_LAYER_ETHERNET:
		return "Ethernet";
	case IBV_LINK_LAYER_INFINIBAND:
		return "InfiniBand";
	default:
		return "unspecified";
	}
}

static json_t *gid_json(const struct device_info *info)
{
	const struct gid_entry *own = device_gid(info);
	char text[INET6_ADDRSTRLEN];

	if (own && inet_ntop(AF_INET6, own->gid.raw, text, sizeof(text)))
		return json_string(text);
	return json_null();
}

/* Adds the device of the other host, and what that host runs. */
static void add_peer(json_t *json, const struct device_info *peer)
{
	const struct gid_entry *own = device_gid(peer);
	char address[INET6_ADDRSTRLEN] = "none", text[400];

	if (own)
		inet_ntop(AF_INET6, own->gid.raw, address, sizeof(address));
	snprintf(text, sizeof(text),
		 "%s (driver %s, firmware %s), port %u, GID %s", peer->name,
		 peer->driver, peer->fw, peer->port_num, address);
	json_object_set_new(json, "peer_device", utf8_json(text));
	json_object_set_new(json, "peer_host", utf8_json(peer->host));
}

json_t *environment_of_device(const struct device_info *info)
{
	json_t *json = json_pack("{s:o,s:o,s:o,s:s,s:i,s:o,s:i,s:i}", "device",
				 utf8_json(info->name), "driver",
				 utf8_json(info->driver), "firmware",
				 utf8_json(info->fw), "link_layer",
				 environment_link_layer(info), "port",
				 (int)info->port_num, "gid", gid_json(info),
				 "gid_index", (int)info->gid_index, "mtu",
				 info->mtu ? 128 << (int)info->mtu : 0);

	if (json && info->apart && info->second)
		add_peer(json, info->second);
	return json;
}

/* Returns NULL for a member that is null or missing. */
static const json_t *value_of(const json_t *environment, const char *key)
{
	const json_t *value = json_object_get(environment, key);

	return json_is_null(value) ? NULL : value;
}

static void add_difference(json_t *all, const char *key, const json_t *was,
			   const json_t *is)
{
	if (was == is || (was && is && json_equal(was, is)))
		return;
	json_array_append_new(all, json_pack("{s:s,s:O?,s:O?}", "what", key,
					     "was", was, "is", is));
}

json_t *environment_differences(const json_t *was, const json_t *is)
{
	json_t *all = json_array();
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)was, key, value)
	{
		add_difference(all, key, value_of(was, key), value_of(is, key));
	}
	json_object_foreach((json_t *)is, key, value)
	{
		if (!json_object_get(was, key))
			add_difference(all, key, NULL, value_of(is, key));
	}
	return all;
}
