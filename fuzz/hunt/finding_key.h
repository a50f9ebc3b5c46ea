/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * By what two findings are the same: the rule, the call that shows it, and what
 * came instead.
 */
#ifndef IBVET_FUZZ_FINDING_KEY_H
#define IBVET_FUZZ_FINDING_KEY_H

#include "judge/judge.h"
#include "supervise/recorder.h"

#define FINDING_KEY_LEN 128

/* "value.read-back/query_qp-path_mtu", "modify.accept/modify_qp-EINVAL",
 * "crashed/modify_qp", "crashed/poll_cq-in-LIBRARY", "hung/no-call-in-FUNCTION"
 * of the kernel, "destroy.accept/remains". `verb` is that of the call
 * which decided, VERB_NR where there is none, and `error` what it gave. */
void finding_key(const struct judgement *j, unsigned int verb, int error,
		 char key[FINDING_KEY_LEN]);
/* Does it say what was returned by a call of the program that lacks an object,
 * or by one behind such a call? That no contract says. */
bool finding_is_undefined_answer(const struct program *p,
				 const struct judgement *j);
/* Findings about such calls are a class of their own:
 * "undefined/crashed/create_qp".
 */
void finding_key_add_class(const struct program *p, const struct judgement *j,
			   char key[FINDING_KEY_LEN]);
/* The same of the recorder's calls, with the class. */
void finding_key_recorded(const struct recorder *r, const struct judgement *j,
			  char key[FINDING_KEY_LEN]);
/*
 * The id of a finding as a case: in the tree of the generated cases about the
 * same change of states, where there is one, so that lines of a profile about
 * those are about it as well.
 */
void finding_case_id(const struct recorder *r, const struct judgement *j,
		     const char *key, char id[CASE_ID_LEN]);

#endif
