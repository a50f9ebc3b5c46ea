# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# Turns a device file of vendor-mlx5/devices into a device with all claims, some of
# which no public source reports for any real device.
s/^mlx5_dc_types.*/&\
mlx5_flags = 64\
mlx5_tunnel_offloads_caps = 7\
mlx5_dci_log_num_concurent = 4\
mlx5_dci_log_num_errored = 3/
