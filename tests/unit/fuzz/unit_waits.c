/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The waits of a changed program: a poll waits for completions that arrive on
 * the model, and asks for as many as arrive there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/mutate/waits.h"
#include "model/model.h"
#include "program/text.h"
#include "supervise/recorder.h"
#include "tests/unit/tap.h"

static const char text[] =
	"pd0 = alloc_pd\n"
	"cq0 = create_cq cqe=16\n"
	"mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE\n"
	"qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC "
	"cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=4 "
	"cap.max_recv_sge=1\n"
	"modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT "
	"qp_access_flags=0 port_num=$port\n"
	"post_recv qp0 wr_id=1 num_sge=1 mr=mr0 length=64\n"
	"post_recv qp0 wr_id=2 num_sge=1 mr=mr0 length=64\n"
	"poll_cq cq0 max=3 timeout_ms=500\n"
	"modify_qp qp0 mask=STATE qp_state=ERR\n"
	"poll_cq cq0 max=1 timeout_ms=400\n"
	"poll_cq cq0 max=7 timeout_ms=300\n"
	"poll_cq cq0 max=1 timeout_ms=10\n"
	"get_async_event timeout_ms=200\n"
	"modify_qp qp0 mask=STATE qp_state=RESET\n"
	"modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT qp_state=INIT "
	"qp_access_flags=0 port_num=$port\n"
	"post_recv qp0 wr_id=1 num_sge=1 mr=mr0 length=64\n"
	"modify_qp qp0 mask=STATE qp_state=ERR\n"
	"poll_cq cq0 max=1\n";

#define POLLS 12

static int64_t given(const struct program *p, int call, enum field f)
{
	const struct setting *s =
		find_setting(p, p->call[call].first, p->call[call].nset, f);

	return s ? s->value.num : -1;
}

static bool polls(const struct program *p, int call, int64_t max, int64_t ms)
{
	return given(p, call, F_poll_max) == max &&
	       given(p, call, F_poll_timeout) == ms;
}

/* Makes a program of polls that all get a completion, without a wait. */
static void many_polls(struct program *p)
{
	char all[2000], err[256];
	int len = snprintf(all, sizeof(all),
			   "pd0 = alloc_pd\n"
			   "cq0 = create_cq cqe=16\n"
			   "qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 "
			   "qp_type=RC cap.max_recv_wr=%d\n"
			   "modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|"
			   "PORT qp_state=INIT port_num=$port\n"
			   "post_recv qp0 more=%d\n"
			   "modify_qp qp0 mask=STATE qp_state=ERR\n",
			   POLLS, POLLS - 1);

	for (int i = 0; i < POLLS; i++)
		len += snprintf(all + len, sizeof(all) - (size_t)len,
				"poll_cq cq0 max=1\n");
	prog_parse(p, "polls", all, strlen(all), err, sizeof(err));
}

/* Makes a program of two connects, and a poll whose wait depends on the device.
 */
static void long_meetings(struct program *p)
{
	static const char meetings[] =
		"pd0 = alloc_pd\n"
		"cq0 = create_cq cqe=16\n"
		"qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC "
		"cap.max_recv_wr=4\n"
		"modify_qp qp0 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT "
		"qp_state=INIT port_num=$port\n"
		"connect qp0 timeout_ms=5000\n"
		"connect qp0 timeout_ms=4000\n"
		"post_recv qp0\n"
		"modify_qp qp0 mask=STATE qp_state=ERR\n"
		"poll_cq cq0 max=1 timeout_ms=$port\n"
		"post_recv qp0\n"
		"poll_cq cq0 max=1\n";
	char err[256];

	if (prog_parse(p, "meetings", meetings, strlen(meetings), err,
		       sizeof(err)))
		printf("# %s\n", err);
}

static int64_t sum_of_waits(const struct program *p)
{
	int64_t sum = 0;

	for (int i = 0; i < p->ncalls; i++)
		if (given(p, i, F_poll_timeout) > 0)
			sum += given(p, i, F_poll_timeout);
	return sum;
}

int main(void)
{
	static struct program p, again;
	struct waits w = {0};
	struct device_info d;
	char err[256];

	model_default_device(&d);
	if (prog_parse(&p, "text", text, strlen(text), err, sizeof(err)) ||
	    waits_open(&w, &d)) {
		fprintf(stderr, "%s\n", err);
		return 1;
	}
	ok(!waits_are_long(&w, &p), "a poll without a wait may be too early");
	waits_fit(&w, &p);
	ok(polls(&p, 7, 3, 20), "a poll that gets nothing ends soon");
	ok(polls(&p, 9, 1, 1000), "a poll that gets something has enough time");
	ok(polls(&p, 10, 1, 1000),
	   "a poll asks for no more completions than arrive");
	ok(polls(&p, 11, 1, 10), "a short wait for nothing stays short");
	ok(given(&p, 12, F_event_timeout) == 20,
	   "a wait for an event that does not arrive ends soon");
	ok(polls(&p, 17, 1, 1000), "a poll without a wait gets one");
	ok(waits_are_long(&w, &p), "all waits are long enough then");
	prog_copy(&again, &p);
	waits_fit(&w, &again);
	ok(again.nsettings == p.nsettings &&
		   !memcmp(again.setting, p.setting,
			   p.nsettings * sizeof(p.setting[0])),
	   "to do it again changes nothing");
	many_polls(&p);
	waits_fit(&w, &p);
	ok(sum_of_waits(&p) == 9000,
	   "all waits together are less than the default of --timeout");
	long_meetings(&p);
	waits_fit(&w, &p);
	ok(given(&p, 4, F_connect_timeout) == 2000 &&
		   given(&p, 5, F_connect_timeout) == 2000,
	   "a connect leaves time for other waits");
	ok(p.call[8].nset == 2 && polls(&p, 10, 1, 1000),
	   "a wait that depends on the device is left alone");
	waits_close(&w);
	return tap_end();
}
