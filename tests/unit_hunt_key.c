// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What findings of a hunt are called: by rule and call, and where a worker died
 * by whose code it died in.
 */
#include <string.h>
#include "fuzz/hunt_key.h"
#include "tap.h"

static void is_called(struct judgement j, unsigned int verb,
		      const char *expected)
{
	char key[HUNT_KEY_LEN];

	j.expect_field = FIELD_NR;
	hunt_key(&j, verb, 0, key);
	ok(!strcmp(key, expected), expected);
	if (strcmp(key, expected))
		printf("# got \"%s\"\n", key);
}

int main(void)
{
	is_called((struct judgement){.verdict = VERDICT_DEVIATES,
				     .row = ROW_QRY_STATE},
		  V_query_qp, "query.state/query_qp-OK");
	is_called((struct judgement){.verdict = VERDICT_DEVIATES,
				     .row = ROW_LIFE_ACCEPT},
		  VERB_NR, "destroy.accept/remains");
	is_called((struct judgement){.verdict = VERDICT_HUNG}, V_poll_cq,
		  "hung/poll_cq");
	is_called((struct judgement){.verdict = VERDICT_HUNG,
				     .where = "siw_destroy_qp"},
		  VERB_NR, "hung/no-call-in-siw_destroy_qp");
	is_called((struct judgement){.verdict = VERDICT_CRASHED,
				     .where = "librxe"},
		  V_destroy_qp, "crashed/destroy_qp-in-librxe");
	return tap_end();
}
