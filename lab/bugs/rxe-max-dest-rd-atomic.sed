# drivers/infiniband/sw/rxe/rxe_qp.c
#
# Puts back what "RDMA/rxe: fix responder UAF on IB_QP_MAX_DEST_RD_ATOMIC modify_qp"
# (July 2026) mends: a modify with MAX_DEST_RD_ATOMIC frees the resources of READs and
# atomics while the responder serves them.
# Found as: fuzz/crashed/kasan-
/mask & IB_QP_MAX_DEST_RD_ATOMIC/,/return err;/ {
	/rxe_disable_task/d
	/rxe_enable_task/d
}
/^static void free_rd_atomic_resources/,/^}/ {
	/resp\.res = NULL/d
}
