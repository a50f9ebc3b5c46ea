/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the JSON of a device. Limits are integers. A limit above 2^63 - 1 is a
 * string of decimal digits, because JSON readers cannot hold such an integer.
 */
#include "cli/devices.h"
#include "vendor/vendor.h"

static json_t *types_json(const struct device_info *d)
{
	json_t *list = json_array();

	for (int k = 0; k < QK_END; k++)
		if (k != QK_NR &&
		    claim_holds(claim_of_kind((enum qp_kind)k), d))
			json_array_append_new(list, json_string(qp_kind_name(
							    (enum qp_kind)k)));
	return list;
}

static json_t *claims_json(const struct device_info *d)
{
	json_t *object = json_object();

	for (int c = 1; c < CLAIM_NR; c++)
		if (claim_concerns((enum claim)c, d))
			json_object_set_new(
				object, claim_name((enum claim)c),
				json_boolean(claim_holds((enum claim)c, d)));
	return object;
}

static json_t *number_json(uint64_t value)
{
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	return json_sprintf("%llu", (unsigned long long)value);
}

static json_t *limits_json(const struct device_info *d)
{
	json_t *object = json_object();

	for (unsigned int i = 0; i < LIM_NR; i++)
		if (d->limit[i] || !limit_is_vendors(i))
			json_object_set_new(object, limit_name(i),
					    number_json(d->limit[i]));
	return object;
}

json_t *devices_json(const char *name, const struct device_info *d)
{
	char gid[INET6_ADDRSTRLEN];
	json_t *object =
		json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:i}", "name", name,
			  "driver", d->driver, "firmware", d->fw, "port",
			  (int)d->port_num, "ports", d->nports, "link_layer",
			  devices_link_layer(d), "mtu", 128 << d->mtu);

	json_object_set_new(object, "gid_index", json_integer(d->gid_index));
	json_object_set_new(object, "gid",
			    devices_source_gid(d, gid) ? json_string(gid)
						       : json_null());
	json_object_set_new(object, "types", types_json(d));
	json_object_set_new(object, "claims", claims_json(d));
	json_object_set_new(object, "limits", limits_json(d));
	return object;
}
