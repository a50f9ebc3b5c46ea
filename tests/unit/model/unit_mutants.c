// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults: every listed name can be parsed, no two faults are the same,
 * and a fault has an effect only where it applies.
 */
#include <stdlib.h>
#include <string.h>
#include "model/model.h"
#include "mutants/mutant.h"
#include "tests/unit/tap.h"

struct walk {
	unsigned int n, unread, hidden, reasonless;
};

static void read_back(const struct mutant_entry *e, void *arg)
{
	static struct mutant mutant;
	struct walk *w = arg;
	char err[256];

	w->n++;
	w->hidden += e->hidden != NULL;
	w->reasonless += e->hidden && !e->hidden[0];
	if (!mutant_parse(e->name, &mutant, err, sizeof(err)))
		return;
	printf("# %s\n", err);
	w->unread++;
}

static void test_names(enum mutant_family family, unsigned int least)
{
	struct device_info device;
	struct walk w = {0};
	char name[80];

	model_default_device(&device);
	mutants_each(family, &device, read_back, &w);
	snprintf(name, sizeof(name), "%s: %u names can be read",
		 mutant_family_name(family), w.n);
	ok(!w.unread && w.n >= least, name);
	ok(!w.reasonless, "what is hidden has a reason");
}

static bool parses(const char *name, struct mutant *m)
{
	char err[256];

	return mutant_parse(name, m, err, sizeof(err)) == 0;
}

static void test_parser(void)
{
	static const char *const bad[] = {"",
					  ":",
					  "skip",
					  "skip:",
					  "skip:no/such/row",
					  "B999",
					  "errno:modify/table/pair=ENOSUCH",
					  "errno:modify/table/pair",
					  "choose:modify/table/pair=OK",
					  "cell:rc/INIT-RTR/AV=maybe",
					  "cell:rc/INIT-RTR/NONE=optional",
					  "cell:rc/INIT/AV=optional",
					  "pair:INIT",
					  "zero:nothing",
					  "swap:qp_access_flags=1",
					  "swap:qp_access_flags=1,64",
					  "shift:timeout=x",
					  "ignore:NOTHING",
					  "ignore:AV@nowhere",
					  "ignore:AV@rc@",
					  "negative:no_verb",
					  "refuse:query_qp=",
					  "free:pd",
					  "fewer:things"};
	static struct mutant m;

	for (size_t i = 0; i < COUNT(bad); i++)
		ok(!parses(bad[i], &m), bad[i][0] ? bad[i] : "(nothing)");
}

static void test_where(void)
{
	static struct mutant m;
	struct mutant_where at = {V_modify_qp, QK_RC, IBV_QPS_INIT,
				  IBV_QPS_RTR};

	ok(parses("ignore:AV@rc@init-rtr", &m), "a type and a pair are read");
	ok(mutant_if_applies(&m, &at) == &m, "the fault is where it was put");
	at.kind = QK_UC;
	ok(!mutant_if_applies(&m, &at), "not on another type");
	at.kind = QK_RC;
	at.from = IBV_QPS_SQD;
	ok(!mutant_if_applies(&m, &at), "not on another pair");
	ok(!mutant_if_applies(NULL, &at), "a healthy model has none");
}

static void test_cells(void)
{
	static struct mutant m;
	const struct cell *c = &m.table.cell[IBV_QPS_INIT][IBV_QPS_RTR][QK_RC];

	ok(parses("cell:rc/INIT-RTR/AV=forbidden", &m), "a cell is read");
	ok(!(c->required & A_AV) && c->forbidden & A_AV, "and changed");
	m.table = *qp_table();
	ok(parses("pair:RESET-RTS", &m), "a pair is read");
	ok(m.table.valid[IBV_QPS_RESET][IBV_QPS_RTS][QK_RC], "and flipped");
}

int main(void)
{
	test_names(MUTANTS_MUSEUM, 45);
	test_names(MUTANTS_FAMILIES, 3000);
	test_names(MUTANTS_CELLS, 49 * 6 * 22 * 2 + 49);
	test_names(MUTANTS_VENDORS, 49 * 2 * (22 * 2 + 1));
	test_parser();
	test_where();
	test_cells();
	return tap_end();
}
