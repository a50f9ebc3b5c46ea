// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The cost of a changed program is limited: its memory, and the time that it
 * waits.
 */
#include "fuzz/mutate/change.h"
#include "model/model.h"
#include "program/text.h"
#include "tests/unit/tap.h"

static unsigned int count_calls(const struct program *p, enum verb verb)
{
	unsigned int n = 0;

	for (int i = 0; i < p->ncalls; i++)
		n += p->call[i].verb == verb;
	return n;
}

/* Returns the most calls of a verb that a change of the program keeps. */
static unsigned int most_calls(const char *text, enum verb verb)
{
	static struct changer c;
	static struct program from, none;
	static struct device_info d;
	char err[512];
	unsigned int most = 0;

	model_default_device(&d);
	changer_init(&c, &d, CALLS_ANY);
	prog_init(&none);
	prog_init(&from);
	prog_parse(&from, "large", text, strlen(text), err, sizeof(err));
	for (int i = 0; i < 64; i++) {
		unsigned int n;

		change_splice(&c, &from, &none);
		n = count_calls(&c.made, verb);
		most = n > most ? n : most;
	}
	return most;
}

/* Returns the longest wait before an acknowledgement in any changed program. */
static uint64_t longest_wait(const char *text)
{
	static struct changer c;
	static struct program from, none;
	static struct device_info d;
	char err[512];
	uint64_t most = 0;

	model_default_device(&d);
	changer_init(&c, &d, CALLS_ANY);
	prog_init(&none);
	prog_init(&from);
	prog_parse(&from, "waits", text, strlen(text), err, sizeof(err));
	for (int i = 0; i < 4096; i++) {
		change_program(&c, &from);
		for (int n = 0; n < c.made.nsettings; n++) {
			const struct setting *is = &c.made.setting[n];

			if (is->field == F_wait_ack_after &&
			    (uint64_t)is->value.num > most)
				most = (uint64_t)is->value.num;
		}
	}
	return most;
}

#define QUEUE	     "= create_cq cqe=$max_cqe\n"
#define REGION(size) "= reg_mr pd0 access=0 length=" size "\n"

int main(void)
{
	ok(most_calls("cq0 " QUEUE "cq1 " QUEUE "cq2 " QUEUE "cq3 " QUEUE
		      "cq4 " QUEUE "cq5 " QUEUE,
		      V_create_cq) == 4,
	   "a program has at most four of the largest completion queues");
	ok(most_calls("cq0 = create_cq cqe=1\nresize_cq cq0 cqe=$max_cqe\n"
		      "resize_cq cq0 cqe=$max_cqe\nresize_cq cq0 cqe=$max_cqe\n"
		      "resize_cq cq0 cqe=$max_cqe\n",
		      V_resize_cq) == 3,
	   "or resizes one to that size three times");
	ok(most_calls("pd0 = alloc_pd\nmr0 " REGION("1073741824") "mr1 " REGION(
			      "1") "mr2 " REGION("4096"),
		      V_reg_mr) == 1,
	   "a program has at most one of the largest regions");
	ok(most_calls("pd0 = alloc_pd\nmr0 " REGION("1073741825") "mr1 " REGION(
			      "$max_mr_size") "mr2 " REGION("4096"),
		      V_reg_mr) == 3,
	   "regions that are too large to be mapped are not limited");
	ok(longest_wait("pd0 = alloc_pd\ncq0 = create_cq cqe=1\n"
			"qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 "
			"qp_type=UD\ndestroy_qp_waits qp0 ack_after_ms=20\n") <=
		   20,
	   "a wait before an acknowledgement does not get longer");
	return tap_end();
}
