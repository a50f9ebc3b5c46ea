/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The key of a finding: the rule, the verb of the call that breaks it, and the
 * outcome. Two findings with the same key are the same finding.
 */
#ifndef IBVET_FUZZ_FINDING_KEY_H
#define IBVET_FUZZ_FINDING_KEY_H

#include "judge/judge.h"
#include "supervise/recorder.h"

#define FINDING_KEY_LEN 128

/* Prints the key: "value.read-back/query_qp-path_mtu",
 * "modify.accept/modify_qp-EINVAL", "crashed/modify_qp",
 * "crashed/poll_cq-in-LIBRARY", "hung/no-call-in-KERNEL_FUNCTION" or
 * "destroy.accept/remains". `verb` is the verb of the deciding call, VERB_NR if
 * there is none, and `error` its errno. */
void finding_key(const struct judgement *j, unsigned int verb, int error,
		 char key[FINDING_KEY_LEN]);
/* Returns true if the judgement is about an outcome that no contract defines:
 * of a call that lacks an object, or of a call after that. */
bool finding_is_undefined_answer(const struct program *p,
				 const struct judgement *j);
/* Puts "undefined/" in front of the key of a finding about such calls:
 * "undefined/crashed/create_qp". */
void finding_key_add_class(const struct program *p, const struct judgement *j,
			   char key[FINDING_KEY_LEN]);
/* Prints the key of a finding of the recorder's program, with "undefined/"
 * where it belongs. */
void finding_key_recorded(const struct recorder *r, const struct judgement *j,
			  char key[FINDING_KEY_LEN]);
/*
 * Prints the case id of a finding. The id of a finding about a change of states
 * begins like the ids of the generated cases about this change, so that lines
 * of a profile about these cases hold for the finding as well.
 */
void finding_case_id(const struct recorder *r, const struct judgement *j,
		     const char *key, char id[CASE_ID_LEN]);

#endif
