// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The kernel side of the virtual device: what it refuses, with what, and that
 * a command it refuses has written nothing.
 */
#include <errno.h>
#include <string.h>
#include "tests/unit/tap.h"
#include "tests/unit/virtual/virtual_command.h"

static char answer[72];

static void begin_context(void)
{
	/* How many doorbells, and how many of them for low latency */
	static uint32_t asked[8] = {16, 4};

	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	add_bytes(UVERBS_ATTR_UHW_IN, asked, sizeof(asked));
	add_bytes(UVERBS_ATTR_UHW_OUT, answer, sizeof(answer));
}

static struct ib_uverbs_query_port_resp_ex port;

/* Newer headers have split the reserved bytes at the end. */
static uint8_t last_byte_of_port(void)
{
	return ((const uint8_t *)&port)[sizeof(port) - 1];
}

static void begin_port(uint64_t number, size_t room)
{
	memset(&port, 0xee, sizeof(port));
	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	add(UVERBS_ATTR_QUERY_PORT_PORT_NUM, number, 8);
	add_bytes(UVERBS_ATTR_QUERY_PORT_RESP, &port, room);
}

static bool untouched(void)
{
	return port.legacy_resp.state == 0xee && last_byte_of_port() == 0xee;
}

static void test_context(void)
{
	begin_port(1, sizeof(port));
	ok(give() == -EINVAL && untouched(), "no port without a context");
	begin_context();
	command.hdr.driver_id++;
	ok(give() == -EINVAL, "a context for another driver");
	begin_context();
	ok(give() == 0, "a context");
	begin_context();
	ok(give() == -EINVAL, "no second context on a file");
}

static void test_header(void)
{
	begin_port(1, sizeof(port));
	command.hdr.length++;
	ok(give() == -EINVAL && untouched(), "a length that is not that");
	begin_port(1, sizeof(port));
	command.hdr.reserved1 = 1;
	ok(give() == -EPROTONOSUPPORT && untouched(), "reserved bits");
	begin(UVERBS_OBJECT_DEVICE, 99);
	ok(give() == -EPROTONOSUPPORT, "a method that there is not");
	begin(99, UVERBS_METHOD_QUERY_PORT);
	ok(give() == -EPROTONOSUPPORT, "an object that there is not");
}

static void test_attributes(void)
{
	struct ib_uverbs_attr *a;

	begin_port(1, sizeof(port));
	add(99, 0, 0);
	ok(give() == -EPROTONOSUPPORT && untouched(),
	   "an unknown attribute that is mandatory");
	begin_port(1, sizeof(port));
	a = add(99, 0, 0);
	a->flags = 0;
	ok(give() == 0, "an unknown attribute that is not");
	begin_port(1, sizeof(port));
	add(UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1, 8);
	ok(give() == -EINVAL && untouched(), "an attribute twice");
	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	add(UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1, 8);
	ok(give() == -EINVAL, "an attribute that is missing");
	begin_port(1, sizeof(port));
	command.hdr.attrs[0].len = 4;
	ok(give() == -EINVAL && untouched(), "a number that is too short");
	begin_port(1, sizeof(port));
	command.hdr.attrs[0].attr_data.reserved = 1;
	ok(give() == -EINVAL && untouched(), "reserved bits of an attribute");
}

static void test_structures(void)
{
	static struct {
		struct ib_uverbs_query_port_resp_ex known;
		unsigned char more, not_ours;
	} newer;

	/* As in the kernel, the last mandatory member must fit whole. */
	begin_port(1, sizeof(port) - 1);
	ok(give() == -EINVAL && untouched(), "too little room for a port");
	begin_port(1, sizeof(port));
	ok(give() == 0 && port.legacy_resp.state == IBV_PORT_ACTIVE &&
		   !last_byte_of_port() &&
		   command.hdr.attrs[1].flags & UVERBS_ATTR_F_VALID_OUTPUT,
	   "just enough room, and the output marked as written");
	memset(&newer, 0xee, sizeof(newer));
	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	add(UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1, 8);
	add_bytes(UVERBS_ATTR_QUERY_PORT_RESP, &newer, sizeof(port) + 1);
	ok(give() == 0 && newer.known.legacy_resp.state == IBV_PORT_ACTIVE &&
		   !newer.more && newer.not_ours == 0xee,
	   "more room is filled with 0, and not a byte past it");
	begin_port(0, sizeof(port));
	ok(give() == -EINVAL && untouched(), "port 0");
	begin_port(2, sizeof(port));
	ok(give() == -EINVAL && untouched(), "a port past the last");
	begin_port(257, sizeof(port));
	ok(give() == -EINVAL && untouched(),
	   "a port whose lowest 8 bits are those of port 1");
}

static struct ib_uverbs_gid_entry entry;

static int gid(uint64_t at_port, uint64_t index, uint64_t flags)
{
	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);
	add(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, at_port, 8);
	add(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, index, 8);
	add(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, flags, 4);
	add_bytes(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
		  sizeof(entry));
	return give();
}

static int gid_table(uint64_t size, void *to, size_t room, uint64_t *found)
{
	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE);
	add(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, size, 8);
	add_bytes(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, to, room);
	add_bytes(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, found, 8);
	return give();
}

static void test_gids(void)
{
	const struct gid_entry *first = &device.info.port[0].gid[0];
	struct ib_uverbs_gid_entry table[4];
	uint64_t found = 99;

	ok(gid(1, 0, 0) == 0 &&
		   !memcmp(&entry.gid, &first->gid, sizeof(entry.gid)) &&
		   entry.port_num == 1,
	   "the first GID");
	ok(gid(1, 1, 0) == -ENODATA, "an empty entry");
	ok(gid(1, 8, 0) == -EINVAL, "an entry past the table");
	ok(gid(2, 0, 0) == -EINVAL, "the GID of a port that is not there");
	ok(gid(1, 0, 1) == -EINVAL, "flags that nobody knows");
	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);
	add(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 1, 8);
	add(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, 0, 8);
	add(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0, 5);
	add_bytes(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
		  sizeof(entry));
	ok(give() == -EINVAL, "flags of five bytes");
	ok(gid_table(sizeof(entry), table, sizeof(table), &found) == 0 &&
		   found == 1 &&
		   !memcmp(&table[0].gid, &first->gid, sizeof(entry.gid)),
	   "the table");
	ok(gid_table(0, table, sizeof(table), &found) == -EINVAL,
	   "a table of entries without a size");
	ok(gid_table(sizeof(entry), table, sizeof(entry) + 1, &found) ==
		   -EINVAL,
	   "a table that is no whole number of entries");
}

static int legacy(uint32_t id, void *in, size_t in_len, size_t room)
{
	static char out[512];

	begin(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	add(UVERBS_ATTR_WRITE_CMD, id, 8);
	if (in_len)
		add_bytes(UVERBS_ATTR_CORE_IN, in, in_len);
	if (room)
		add_bytes(UVERBS_ATTR_CORE_OUT, out, room);
	return give();
}

static void test_legacy(void)
{
	uint32_t extended = IB_USER_VERBS_CMD_FLAG_EXTENDED;

	ok(legacy(IB_USER_VERBS_CMD_QUERY_DEVICE, NULL, 0, 0) == -ENOSPC,
	   "an answer without room for it");
	ok(legacy(IB_USER_VERBS_CMD_QUERY_DEVICE, NULL, 0,
		  sizeof(struct ib_uverbs_query_device_resp)) == 0,
	   "query_device");
	ok(legacy(IB_USER_VERBS_EX_CMD_QUERY_DEVICE | extended, NULL, 0, 304) ==
		   -ENOSPC,
	   "an extended command without its input");
	ok(legacy(49, NULL, 0, 0) == -EOPNOTSUPP, "an unknown command");
}

static void test_objects(void)
{
	uint32_t first, second, again;

	ok(!object_new(&file, 7, &first) && !object_new(&file, 8, &second) &&
		   first != second,
	   "each object has a handle of its own");
	ok(object_check(&file, 8, first) == -EINVAL,
	   "a handle of another sort");
	ok(object_check(&file, 7, 1000) == -ENOENT, "a handle of nothing");
	object_drop(&file, first);
	ok(object_check(&file, 7, first) == -ENOENT,
	   "a handle that was given up");
	ok(!object_new(&file, 7, &again) && again == first,
	   "the lowest free number comes first");
}

static int fail_to_start(struct virtual_device *d)
{
	(void)d;
	return -ENOMEM;
}

static void stop_nothing(struct virtual_device *d)
{
	(void)d;
}

static void test_failed_start(void)
{
	struct virtual_driver driver = *device.driver;
	struct virtual_device d = {.info = device.info, .driver = &driver};

	driver.start = fail_to_start;
	driver.stop = stop_nothing;
	ok(virtual_start(&d) == -ENOMEM && !d.core && !d.nic,
	   "nothing is left of a device whose driver does not start");
}

int main(void)
{
	char err[256];

	if (virtual_load(IBVET_SOURCE_DIR "/vendor-mlx5/devices/connectx-5.dev",
			 &device, err, sizeof(err))) {
		printf("Bail out! %s\n", err);
		return 1;
	}
	if (virtual_start(&device))
		return 1;
	virtual_file_open(&file, &device);
	test_context();
	test_header();
	test_attributes();
	test_structures();
	test_gids();
	test_legacy();
	test_objects();
	test_failed_start();
	virtual_file_close(&file);
	virtual_stop(&device);
	return tap_end();
}
