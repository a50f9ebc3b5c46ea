/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet devices: prints the devices that ibvet can test, and the claims of
 * each. --verbose prints a device file.
 */
#include <arpa/inet.h>
#include <string.h>
#include "cli/cli.h"
#include "cli/devices.h"
#include "vendor/vendor.h"

struct devices {
	struct device_choice choice; /* name NULL: all devices */
	bool json, verbose;
	json_t *list; /* devices, with --json */
};

enum { KEY_JSON = 256 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct devices *d = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &d->choice;
		return 0;
	case KEY_JSON:
		d->json = true;
		return 0;
	case 'v':
		d->verbose = true;
		return 0;
	case ARGP_KEY_END:
		if (d->verbose && !d->choice.name)
			argp_error(state,
				   "-v prints one device: name it with -d");
		if (d->verbose && d->json)
			argp_error(state, "-v and --json exclude each other");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", KEY_JSON, NULL, 0, "print JSON, with all limits", 0},
	{"verbose", 'v', NULL, 0,
	 "print a device file for --limits: all that the device of -d reports",
	 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = device_child,
	.doc = "Prints the devices that ibvet can test on this machine. For "
	       "each it prints driver, port, types of queue pairs, and the "
	       "claims that hold. A claim is a condition that cases need; "
	       "\"ibvet explain CLAIM\" explains it.",
};

const char *devices_link_layer(const struct device_info *d)
{
	if (device_iwarp(d))
		return "iWARP";
	return device_port(d)->attr.link_layer == IBV_LINK_LAYER_ETHERNET
		       ? "Ethernet"
		       : "InfiniBand";
}

bool devices_source_gid(const struct device_info *d,
			char text[INET6_ADDRSTRLEN])
{
	const struct port_info *port = device_port(d);

	for (int i = 0; i < port->ngids; i++) {
		if (port->gid[i].index != d->gid_index)
			continue;
		inet_ntop(AF_INET6, port->gid[i].gid.raw, text,
			  INET6_ADDRSTRLEN);
		return true;
	}
	return false;
}

static void print_types(const struct device_info *d)
{
	printf("  types   ");
	for (int k = 0; k < QK_END; k++)
		if (k != QK_NR &&
		    claim_holds(claim_of_kind((enum qp_kind)k), d))
			printf(" %s", qp_kind_name((enum qp_kind)k));
	putchar('\n');
}

static void print_port(const struct device_info *d)
{
	const struct ibv_port_attr *attr = &device_port(d)->attr;
	char gid[INET6_ADDRSTRLEN];

	printf("  port     %u of %d, %s, %s, MTU %d", d->port_num, d->nports,
	       devices_link_layer(d), ibv_port_state_str(attr->state),
	       128 << d->mtu);
	if (devices_source_gid(d, gid))
		printf(", GID %u %s", d->gid_index, gid);
	putchar('\n');
}

static void print_claims(const struct device_info *d)
{
	printf("  claims  ");
	for (int c = 1; c < CLAIM_NR; c++)
		if (claim_holds((enum claim)c, d))
			printf(" %s", claim_name((enum claim)c));
	printf("\n  lacks   ");
	for (int c = 1; c < CLAIM_NR; c++)
		if (claim_concerns((enum claim)c, d) &&
		    !claim_holds((enum claim)c, d))
			printf(" %s", claim_name((enum claim)c));
	putchar('\n');
}

static void print_device(const char *name, const struct device_info *d)
{
	printf("%s\n  driver   %s%s%s%s\n", name, d->driver,
	       *d->fw ? ", firmware " : "", d->fw,
	       d->is_virtual ? ", virtual: no silicon" : "");
	print_types(d);
	print_port(d);
	print_claims(d);
}

static int show(struct devices *d, const char *name, char *err, size_t errlen)
{
	struct target *t;
	int ret = target_open(name, &d->choice.options, &t, err, errlen);

	if (ret)
		return ret;
	if (d->list)
		json_array_append_new(d->list, devices_json(name, &t->info));
	else if (d->verbose)
		device_print(&t->info, stdout);
	else
		print_device(name, &t->info);
	t->ops->close(t);
	return 0;
}

/* Prints a device, or the reason why it cannot be opened. */
static void show_any(const char *name, void *arg)
{
	struct devices *d = arg;
	char err[256] = "";

	if (!show(d, name, err, sizeof(err)))
		return;
	if (d->list)
		json_array_append_new(d->list, json_pack("{s:s, s:s}", "name",
							 name, "error", err));
	else
		printf("%s\n  cannot be tested: %s\n", name, err);
}

static int print_json(json_t *list)
{
	int ret = json_dumpf(list, stdout, JSON_INDENT(2));

	putchar('\n');
	json_decref(list);
	return ret ? EXIT_HARNESS : cli_flush("devices");
}

int cmd_devices(int argc, char **argv)
{
	struct devices d = {0};
	char err[256] = "";

	device_choice_init(&d.choice);
	d.choice.name = NULL;
	cli_parse(&argp, argc, argv, &d);
	d.list = d.json ? json_array() : NULL;
	if (!d.choice.name)
		target_list(show_any, &d);
	else if (show(&d, d.choice.name, err, sizeof(err)))
		return cli_usage("devices", "%s", err);
	return d.list ? print_json(d.list) : cli_flush("devices");
}
