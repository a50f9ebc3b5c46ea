/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The text of programs: its canonical form, other accepted forms, and each
 * error with its line and column.
 */
#include "tests/unit/program/program_check.h"

#define TEXT_MAX (1u << 18)

static void test_canonical(void)
{
	static const char text[] =
		"# What it is about\n"
		"#\n"
		"#   in three lines\n"
		"parent = alloc_pd\n"
		"cq0 = create_cq cqe=-1 comp_vector=$num_comp_vectors\n"
		"qp0 = create_qp parent send_cq=cq0 recv_cq=cq0 srq=none "
		"qp_type=RC sq_sig_all=-1 cap.max_send_wr=$max_qp_wr+1\n"
		"modify_qp qp0 mask=STATE|PORT|RATE_LIMIT|0x4000000 poison=3 "
		"qp_state=INIT port_num=$port => EINVAL\n"
		"q0 = query_qp qp0 mask=0 => 0 qp_state=RESET "
		"cap.max_send_wr=4 init.cap.max_send_wr=4 send_cq=cq0\n"
		"modify_qp qp0 mask=AV ah_attr.grh.dgid=::ffff:10.0.0.1 "
		"alt_ah_attr.grh.dgid=$gid qp_state=77 from=q0\n"
		"modify_qp qp0 mask=DEST_QPN dest_qp_num=qp0.qp_num-1 "
		"rq_psn=0xffffff rate_limit=100000 => 1234\n"
		"get_async_event timeout_ms=100 => 0 event_type=SQ_DRAINED "
		"qp=qp0\n"
		"mr0 = reg_mr parent length=4096\n"
		"mr1 = reg_mr parent length=4096\n"
		"post_send qp0 more=2 odd=2 odd_num_sge=1 odd_opcode=RDMA_READ "
		"odd_send_flags=FENCE|SIGNALED odd_mr=mr1 odd_offset=8 "
		"odd_length=64 odd_lkey=mr1.lkey+1 odd_remote_offset=16 "
		"odd_rkey=mr0.rkey opcode=SEND num_sge=3 mr=mr0 part=2 "
		"part_mr=mr1 part_offset=512 part_length=0 "
		"part_lkey=mr0.lkey-1\n"
		"post_recv qp0 odd=1 odd_mr=mr1 odd_offset=1 odd_length=2 "
		"odd_lkey=3 part=4 part_mr=mr0 part_offset=5 part_length=6 "
		"part_lkey=7\n"
		"query_gid port_num=1 index=-1 => EINVAL\n"
		"create_rwq_ind_table => EOPNOTSUPP\n";
	static struct program p;
	char err[512] = "", *again;

	ok(!prog_parse(&p, "f", text, strlen(text), err, sizeof(err)),
	   "a text in its canonical form parses");
	again = print_text(&p);
	same_text(again, text, "and prints as it was");
	free(again);
	same_text(p.about, "What it is about\n\n  in three lines",
		  "its first comment is what it is about");
	ok(p.call[0].line == 4, "calls know their line");
}

/* A text that is too long: the kept part is printed and read back. */
static void test_long_comment(void)
{
	static struct program p, q;
	char text[400], err[512] = "", *once, *twice;

	memset(text, '\r', sizeof(text));
	memset(text, 'a', 200);
	text[0] = '#';
	memcpy(text + sizeof(text) - 3, "z\n", 3);
	ok(!prog_parse(&p, "f", text, strlen(text), err, sizeof(err)),
	   "a comment that is cut off parses");
	once = print_text(&p);
	ok(!prog_parse(&q, "f", once, strlen(once), err, sizeof(err)),
	   "and what is left of it, printed");
	twice = print_text(&q);
	same_text(twice, once, "and printed again it is the same");
	free(once);
	free(twice);
}

static void test_other_forms(void)
{
	static const char text[] =
		"\n# no opening comment\n"
		"  pd0   =\talloc_pd   # names a domain\r\n"
		"cq0 = create_cq cqe=0x10\n"
		"qp0 = create_qp pd0 send_cq=cq0 qp_type=2\n"
		"modify_qp qp0 mask=PORT|0x1 qp_state=RESET from=none0";
	static const char want[] =
		"pd0 = alloc_pd\n"
		"cq0 = create_cq cqe=16\n"
		"qp0 = create_qp pd0 send_cq=cq0 qp_type=RC\n"
		"modify_qp qp0 mask=STATE|PORT "
		"qp_state=RESET\n";
	static struct program p;
	char err[512] = "", *got;

	ok(!prog_parse(&p, "f", text, strlen(text) - 11, err, sizeof(err)),
	   "white space, comments and other numbers are read");
	got = print_text(&p);
	same_text(got, want, "and print in the canonical form");
	free(got);
}

static const struct {
	const char *text, *error;
} bad[] = {
	{"modify_xx qp0", "5:1: unknown verb 'modify_xx'"},
	{"x =", "5:4: a verb must follow '='"},
	{"  x = nothing", "5:7: unknown verb 'nothing'"},
	{"pd0 = alloc_pd", "5:1: 'pd0' is defined twice"},
	{"none = alloc_pd", "5:1: 'none' cannot name an object"},
	{"a.b = alloc_pd", "5:1: 'a.b' cannot name an object"},
	{"abcdefghijklmnop = alloc_pd",
	 "5:1: 'abcdefghijklmnop' is longer than 15 letters"},
	{"x = destroy_qp qp0", "5:5: destroy_qp makes nothing to be named"},
	{"destroy_qp", "5:11: destroy_qp needs an object of kind QP"},
	{"close_device", "5:13: close_device needs an object of kind CTX"},
	{"destroy_qp qp1", "5:12: 'qp1' is not defined above"},
	{"destroy_qp cq0", "5:12: 'cq0' is of kind CQ, here stands QP"},
	{"destroy_qp qp0 qp0",
	 "5:16: 'qp0' is not field=value: '=' is missing"},
	{"create_cq cqe 16", "5:11: '=' is missing after 'cqe'"},
	{"create_cq cqe=", "5:15: 'cqe' lacks its value"},
	{"create_cq cqe=1 garbage",
	 "5:17: 'garbage' is not field=value: '=' is missing"},
	{"create_cq cqe=1 cqe=2", "5:17: 'cqe' is set twice"},
	{"create_cq pd=pd0", "5:11: create_cq takes no field 'pd'"},
	{"create_cq flags=0", "5:11: create_cq takes no field 'flags'"},
	{"query_qp qp0 timeout=1", "5:14: query_qp takes no field 'timeout'"},
	{"query_qp qp0 => 0 mask=1", "5:19: query_qp gives no field 'mask'"},
	{"create_cq cqe=0x80000000",
	 "5:15: cqe: 0x80000000 does not fit: -2147483648 to "
	 "2147483647"},
	{"create_cq cqe=12a", "5:15: cqe: '12a' is not a number"},
	{"create_cq cqe=many", "5:15: cqe: 'many' is not a number"},
	{"create_cq cqe=-", "5:15: cqe: '-' is not a number"},
	{"create_cq cqe=$none", "5:15: unknown symbol '$none'"},
	{"create_cq cqe=$max_cqe+", "5:23: '+' is not +N or -N"},
	{"create_cq cqe=$max_cqe+x", "5:23: '+x' is not +N or -N"},
	{"create_cq channel=cq0",
	 "5:19: 'cq0' is of kind CQ, here stands CHANNEL"},
	{"create_cq channel=$gid", "5:19: channel cannot be '$gid'"},
	{"modify_qp qp0 timeout=256",
	 "5:23: timeout: 256 does not fit: 0 to 255"},
	{"modify_qp qp0 timeout=-1",
	 "5:23: timeout: -1 does not fit: 0 to 255"},
	{"modify_qp qp0 pkey_index=65536",
	 "5:26: pkey_index: 65536 does not fit: 0 to 65535"},
	{"modify_qp qp0 qkey=99999999999999999999999",
	 "5:20: qkey: 99999999999999999999999 does not fit: 0 to "
	 "4294967295"},
	{"modify_qp qp0 path_mtu=BIG",
	 "5:24: path_mtu: unknown name 'BIG'; it takes MTU_256, "
	 "MTU_512, MTU_1024, MTU_2048, MTU_4096, a number"},
	{"modify_qp qp0 qp_access_flags=MW_BIND|",
	 "5:39: qp_access_flags: unknown name ''; it takes "},
	{"modify_qp qp0 mask=STATE|STAT",
	 "5:26: mask: unknown name 'STAT'; it takes STATE, "},
	{"modify_qp qp0 mask=$port", "5:20: mask cannot be '$port'"},
	{"modify_qp qp0 qkey=$gid", "5:20: qkey cannot be '$gid'"},
	{"modify_qp qp0 qkey=q0.ah_attr.grh.dgid",
	 "5:20: qkey cannot be 'q0.ah_attr.grh.dgid'"},
	{"modify_qp qp0 qkey=q1.qkey", "5:20: 'q1' is not defined above"},
	{"modify_qp qp0 qkey=q0.nokey", "5:23: q0 gives no output 'nokey'"},
	{"modify_qp qp0 from=qp0",
	 "5:20: 'qp0' is of kind QP, here stands QUERY"},
	{"modify_qp qp0 from=q0 from=q0", "5:23: 'from' is set twice"},
	{"modify_qp qp0 ah_attr.grh.dgid=fe80:",
	 "5:32: ah_attr.grh.dgid: 'fe80:' is not a GID"},
	{"modify_qp qp0 =>",
	 "5:17: 0, an errno name or a number must follow =>"},
	{"modify_qp qp0 => EWHAT", "5:18: 'EWHAT' is no errno name or number"},
	{"modify_qp qp0 => 40000", "5:18: '40000' is no errno name or number"},
	{"modify_qp qp0 => 0 => 0", "5:20: a second =>"},
	{"modify_qp qp0 => 0 qkey=1", "5:20: modify_qp gives no field 'qkey'"},
	{"destroy_qp qp0\001", "5:15: control character 0x01"},
};

static void test_errors(void)
{
	static struct program p;
	char text[512], err[2048], want[512];

	for (size_t i = 0; i < COUNT(bad); i++) {
		int len =
			snprintf(text, sizeof(text), HEAD "%s\n", bad[i].text);
		int ret = prog_parse(&p, "dir/file.prog", text, (size_t)len,
				     err, sizeof(err));

		snprintf(want, sizeof(want), "dir/file.prog:%s", bad[i].error);
		if (ret == -EINVAL && want[strlen(want) - 1] == ' ')
			err[strlen(want)] = '\0';
		same_text(ret == -EINVAL ? err : "accepted", want, bad[i].text);
	}
}

static void test_too_many(void)
{
	static char text[TEXT_MAX];
	static struct program p;
	char err[512];
	size_t len = 0;

	for (int i = 0; i <= PROG_MAX_CALLS; i++)
		len += (size_t)sprintf(text + len, "query_device\n");
	prog_parse(&p, "f", text, len, err, sizeof(err));
	same_text(err, "f:257:1: more than 256 calls", "too many calls");
	len = 0;
	for (int i = 0; i <= PROG_MAX_OBJECTS; i++)
		len += (size_t)sprintf(text + len, "p%d = alloc_pd\n", i);
	prog_parse(&p, "f", text, len, err, sizeof(err));
	same_text(err, "f:49:1: more than 48 objects", "too many objects");
	len = 0;
	for (int i = 0; i <= PROG_MAX_OBJECTS; i++)
		len += (size_t)sprintf(text + len, "alloc_pd\n");
	prog_parse(&p, "f", text, len, err, sizeof(err));
	same_text(err, "f:49:1: more than 48 objects",
		  "those without a name count");
	prog_init(&p);
	prog_call(&p, V_alloc_pd, NO_OBJ, NO_OBJ);
	ok(!prog_ok(&p), "a builder remembers what has no place");
	prog_init(&p);
	for (int i = 0; i <= PROG_MAX_CALLS; i++)
		prog_call(&p, V_query_device, NO_OBJ, NO_OBJ);
	ok(!prog_ok(&p), "a builder remembers too many calls");
	prog_init(&p);
	for (int i = 0; i <= PROG_MAX_OBJECTS; i++)
		prog_new(&p, OBJ_PD);
	ok(!prog_ok(&p), "a builder remembers too many objects");
}

static void test_load(void)
{
	static struct program p;
	char err[512] = "";

	ok(prog_load(&p, "/nonexistent/x.prog", err, sizeof(err)) == -ENOENT,
	   "a file that is not there");
	same_text(err,
		  "/nonexistent/x.prog: cannot open: No such file or "
		  "directory",
		  "is named");
	ok(prog_load(&p, "/", err, sizeof(err)) == -EISDIR,
	   "a folder is no program");
	ok(strncmp(err, "/: cannot read: ", 16) == 0, "and is named");
}

int main(void)
{
	test_canonical();
	test_long_comment();
	test_other_forms();
	test_errors();
	test_too_many();
	test_load();
	return tap_end();
}
