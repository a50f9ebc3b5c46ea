/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How long a changed program waits on a device: for what comes by the model,
 * and for as many completions as that are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/waits.h"
#include "model/model.h"
#include "program/text.h"
#include "run/recorder.h"
#include "tap.h"

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
	"get_async_event timeout_ms=200\n";

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
	waits_cut(&w, &p);
	ok(polls(&p, 7, 3, 20), "a poll that gets nothing ends soon");
	ok(polls(&p, 9, 1, 400), "one that gets all is left alone");
	ok(polls(&p, 10, 1, 300), "one asks for no more than come");
	ok(polls(&p, 11, 1, 10), "no wait gets longer");
	ok(given(&p, 12, F_event_timeout) == 20, "nor an event that is none");
	program_copy(&again, &p);
	waits_cut(&w, &again);
	ok(again.nsettings == p.nsettings &&
		   !memcmp(again.setting, p.setting,
			   p.nsettings * sizeof(p.setting[0])),
	   "once cut, it stays");
	waits_close(&w);
	return tap_end();
}
