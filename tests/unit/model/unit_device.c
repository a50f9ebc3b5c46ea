/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Device files: a printed file reads back as the same device, a file can change
 * a single limit, and each error names its line.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contract/contract.h"
#include "contract/device.h"
#include "tests/unit/tap.h"

/* A device whose members all have different values */
static void fill(struct device_info *d)
{
	memset(d, 0, sizeof(*d));
	strcpy(d->name, "nic0");
	strcpy(d->driver, "some driver");
	d->node_guid = UINT64_MAX;
	d->transport = IBV_TRANSPORT_UNKNOWN;
	for (unsigned int i = 0; i < LIM_NR; i++)
		d->limit[i] = UINT64_MAX / (i + 1);
	d->nports = 2;
	d->port_num = 2;
	d->gid_index = 3;
	d->mtu = IBV_MTU_2048;
	d->can_inject = true;
	d->port[0].attr.state = IBV_PORT_ACTIVE;
	d->port[0].attr.link_layer = IBV_LINK_LAYER_ETHERNET;
	d->port[1].attr.max_mtu = IBV_MTU_4096;
	d->port[1].attr.lid = 0xfffe;
	d->port[1].attr.gid_tbl_len = -1;
	d->port[1].ngids = 2;
	d->port[1].gid[0] = (struct gid_entry){.index = 3, .type = GID_ROCE_V2};
	d->port[1].gid[0].gid.raw[11] = 0xff;
	d->port[1].gid[1].index = 255;
	d->port[1].npkeys = 2;
	d->port[1].pkey[0] = 0xffff;
	d->port[1].pkey[1] = 0x7fff;
}

static const char *scratch(void)
{
	static char path[] = "/tmp/unit_device.XXXXXX";
	static int fd = -1;

	if (fd < 0)
		fd = mkstemp(path);
	return path;
}

static int read_text(const char *text, struct device_info *d, char *err,
		     size_t errlen)
{
	FILE *file = fopen(scratch(), "w");

	fputs(text, file);
	fclose(file);
	return device_read(scratch(), d, err, errlen);
}

static void round_trip(void)
{
	struct device_info d, back;
	char err[256] = "";
	FILE *file = fopen(scratch(), "w");

	fill(&d);
	ok(!device_print(&d, file), "a device is printed");
	fclose(file);
	memset(&back, 0, sizeof(back));
	if (!ok(!device_read(scratch(), &back, err, sizeof(err)),
		"what was printed is read"))
		printf("# %s\n", err);
	ok(!memcmp(&d, &back, sizeof(d)), "and is the same device");
}

static void one_change(void)
{
	struct device_info d, want;
	char err[256] = "";

	fill(&d);
	want = d;
	want.limit[LIM_max_qp_wr] = 77;
	want.port[0].attr.lid = 5;
	ok(!read_text("# a smaller queue\nmax_qp_wr = 77\n\n[port 1]\n"
		      "lid = 5\n",
		      &d, err, sizeof(err)),
	   "a file may change two values");
	ok(!memcmp(&d, &want, sizeof(d)), "and nothing else changes");
	ok(!read_text("[port 2]\ngid none\npkey 0 0x8001\n", &d, err,
		      sizeof(err)) &&
		   !d.port[1].ngids && d.port[1].npkeys == 1 &&
		   d.port[1].pkey[0] == 0x8001,
	   "GIDs and P_Keys replace the table");
}

static void partitions(void)
{
	static const uint16_t none[] = {0, 0x8000, 0x7fff, 1};
	struct port_info p = {.attr.pkey_tbl_len = 200, .npkeys = 1};
	uint16_t pkey = 1;

	p.pkey[0] = 0xffff;
	ok(port_pkey(&p, 0, &pkey) && pkey == 0xffff, "a P_Key of the table");
	ok(port_pkey(&p, 127, &pkey) && !pkey, "an empty entry is 0");
	ok(!port_pkey(&p, 128, &pkey) && !port_pkey(&p, 200, &pkey),
	   "what we do not keep, and what there is not");
	ok(pkeys_match(0xffff, 0xffff) && pkeys_match(0x8001, 1),
	   "a full member matches full and limited ones");
	for (int i = 0; i < 4; i++)
		ok(!pkeys_match(none[i], none[i]),
		   "two limited or invalid ones do not match");
	ok(!pkeys_match(0xffff, 0x8001), "nor of two partitions");
}

static const struct mistake {
	const char *text, *want;
} mistakes[] = {
	{"max_qp = 1\nmax_foo = 1\n", ":2: a device has no \"max_foo\""},
	{"max_qp = -1\n", ":1: \"-1\" is not a value of max_qp"},
	{"max_qp = 1x\n", ":1: \"1x\" is not a value of max_qp"},
	{"max_qp = 99999999999999999999\n", "is not a value of max_qp"},
	{"max_qp =\n", ":1: \"\" is not a value of max_qp"},
	{"can_inject = 2\n", ":1: \"2\" is not a value of can_inject"},
	{"port_num = 256\n", ":1: \"256\" is not a value of port_num"},
	{"[port 3]\n", ":1: port 3 of 2"},
	{"[port 0]\n", ":1: port 0 of 2"},
	{"[prt 1]\n", ":1: a section is \"[port N]\""},
	{"[port 1]\nmax_qp = 1\n", ":2: a port has no \"max_qp\""},
	{"hello\n", ":1: neither"},
	{"[port 1]\ngid 0 ROCE_V3 ::1\n", ":2: \"ROCE_V3\" is not a type"},
	{"[port 1]\ngid 0 ROCE_V2 nope\n", ":2: \"nope\" is not a GID"},
	{"[port 1]\npkey 1 0xffff\n", ":2: P_Keys come in order: 0 is next"},
	{"[port 1]\npkey 0 0x10000\n", ":2: a P_Key is"},
	{"port_num = 3\n", "port_num 3 of 2 ports"},
	{"nports = 5\n", "nports is 1 to 4"},
	{"mtu = 9\n", "mtu is 256 to 4096"},
};

static void each_mistake(void)
{
	for (size_t i = 0; i < COUNT(mistakes); i++) {
		struct device_info d;
		char err[256] = "";

		fill(&d);
		if (!ok(read_text(mistakes[i].text, &d, err, sizeof(err)) < 0 &&
				strstr(err, mistakes[i].want),
			mistakes[i].want))
			printf("# got: %s\n", err);
	}
}

/* What two devices have in common: both bounds, both capabilities, and the
 * claims that hold on both. */
static void common(void)
{
	static struct device_info a, b, both;
	bool claims = true, smaller = true;

	fill(&a);
	fill(&b);
	for (unsigned int i = 0; i < LIM_NR; i += 2)
		b.limit[i] = 1;
	a.limit[LIM_max_mcast_grp] = 0;
	a.can_rereg = b.can_wr = true;
	b.port[1].ngids = 0;
	b.mtu = IBV_MTU_512;
	a.second = &b;
	device_common(&a, &b, &both);
	for (unsigned int i = 0; i < LIM_NR; i++)
		smaller &= both.limit[i] <= a.limit[i];
	for (unsigned int i = 0; i < CLAIM_NR; i++) {
		enum claim c = (enum claim)i;

		claims &= claim_holds(c, &both) ==
			  (claim_holds(c, &a) && claim_holds(c, &b));
	}
	ok(smaller && both.limit[LIM_max_mr_size] == 1 &&
		   !both.limit[LIM_max_mcast_grp],
	   "two devices have the smaller limits in common");
	ok(!both.can_rereg && !both.can_wr && both.can_inject,
	   "and the calls that both have");
	ok(both.mtu == IBV_MTU_512, "and the smaller path MTU");
	ok(claims, "a claim holds on both if it holds on each");
	ok(!claim_holds(CLAIM_GID, &both), "also a claim of the ports");
}

int main(void)
{
	struct device_info d;
	char err[256] = "";

	round_trip();
	one_change();
	partitions();
	each_mistake();
	common();
	ok(device_read("/nonexistent", &d, err, sizeof(err)) == -2 &&
		   strstr(err, "/nonexistent: No such file"),
	   "a file that is not there");
	unlink(scratch());
	return tap_end();
}
