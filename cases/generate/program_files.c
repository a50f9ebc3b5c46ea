/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Hand-written cases: the programs of `cases/programs`, in the order of their
 * names. The claims of a case follow from its calls.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases/generate/generate.h"
#include "contract/own_files.h"
#include "vendor/vendor.h"

#define FOLDER "cases/programs"
#define SUFFIX ".ibv"

/* Returns the claim that a verb needs. */
static enum claim verb_claim(enum verb verb)
{
	const struct vendor_ops *v;

	switch (verb) {
	case V_connect:
		return CLAIM_IWARP_CM;
	case V_join_mcast:
		return CLAIM_MCAST_CM;
	case V_open_xrcd:
	case V_open_qp:
		return CLAIM_XRC;
	case V_create_srq:
	case V_create_srq_ex:
		return CLAIM_SRQ;
	case V_create_cq_ex:
		return CLAIM_CQ_EX;
	case V_alloc_mw:
		return CLAIM_MW;
	case V_create_wq:
		return CLAIM_WQ;
	case V_create_rwq_ind_table:
		return CLAIM_RSS;
	case V_create_counters:
		return CLAIM_COUNTERS;
	case V_query_port_speed:
		return CLAIM_NEW_QUERY_PORT_SPEED;
	case V_create_flow:
		return CLAIM_FLOW;
	case V_attach_mcast:
		return CLAIM_MCAST;
	case V_inject_send_error:
		return CLAIM_SQE;
	case V_link:
		return CLAIM_LINK;
	case V_stop_process:
	case V_kill_process:
		return CLAIM_PROCESS;
	default:
		break;
	}
	v = vendor_of_verb(verb);
	return v ? v->claim : CLAIM_NONE;
}

/* Returns the claim that a setting needs: for a type, a connection, or a GID.
 */
static enum claim setting_claim(const struct setting *s)
{
	enum qp_kind kind;

	if (s->value.kind == VAL_MYGID)
		return s->value.ref ? CLAIM_SECOND : CLAIM_GID;
	if (s->value.kind != VAL_NUM)
		return CLAIM_NONE;
	if (s->field == F_open_which && s->value.num == DEVICE_SECOND)
		return CLAIM_SECOND;
	kind = setting_kind(s);
	if (kind != QK_NR)
		return claim_of_kind(kind);
	if (s->field == F_qp_state && s->value.num >= IBV_QPS_RTR &&
	    s->value.num <= IBV_QPS_SQD)
		return CLAIM_VERBS_CONNECT;
	if (s->field == F_mask && (s->value.num & A_ALT_PATH))
		return CLAIM_APM;
	return CLAIM_NONE;
}

static enum claim program_claim(const struct program *p,
				const struct device_info *d)
{
	for (int i = 0; i < p->ncalls; i++) {
		enum claim claim = verb_claim((enum verb)p->call[i].verb);

		if (!claim_holds(claim, d))
			return claim;
	}
	for (int i = 0; i < p->nsettings; i++) {
		enum claim claim = setting_claim(&p->setting[i]);

		if (!claim_holds(claim, d))
			return claim;
	}
	return CLAIM_NONE;
}

static int file_case(struct gen *g, const char *file)
{
	int stem = (int)(strlen(file) - strlen(SUFFIX));
	char path[PATH_MAX], err[512];
	enum claim claim;
	int ret;

	if (!gen_id(g, "%.*s", stem, file) || !gen_due(g, ROW_NONE))
		return 0;
	ret = own_data(path, sizeof(path), FOLDER "/%s", file);
	if (ret)
		return ret;
	prog_init(g->p);
	ret = prog_load(g->p, path, err, sizeof(err));
	if (ret == -EINVAL)
		fprintf(stderr, "ibvet: %s\n", err);
	if (ret)
		return ret;
	claim = program_claim(g->p, g->d);
	g->c.row = ROW_NONE;
	g->c.claim = claim;
	snprintf(g->c.sentence, sizeof(g->c.sentence), "%.*s",
		 (int)strcspn(g->p->about, "\n"), g->p->about);
	if (!g->c.sentence[0])
		snprintf(g->c.sentence, sizeof(g->c.sentence), "%s", file);
	if (claim != CLAIM_NONE || g->sel->ids_only)
		prog_init(g->p);
	gen_done(g);
	return 0;
}

static int is_program(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > strlen(SUFFIX) &&
	       !strcmp(entry->d_name + len - strlen(SUFFIX), SUFFIX);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int gen_program_files(struct gen *g)
{
	char path[PATH_MAX];
	struct dirent **files;
	int err = own_data(path, sizeof(path), FOLDER);
	int n = err ? -1 : scandir(path, &files, is_program, by_name);

	if (!err && n < 0)
		err = -errno;
	if (err) {
		fprintf(stderr, "ibvet: %s: %s; install ibvet again\n", path,
			strerror(-err));
		return err;
	}
	gen_prefix(g, "program/");
	for (int i = 0; i < n; i++) {
		if (!err && !g->stop)
			err = file_case(g, files[i]->d_name);
		free(files[i]);
	}
	free(files);
	return err;
}
