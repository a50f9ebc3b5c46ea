# drivers/infiniband/sw/rxe/rxe_resp.c
#
# Puts in what "RDMA/rxe: Avoid reprocessing the current packet after the QP enters
# the error state" (July 2026) mends. 6.1 never had it: "RDMA/rxe: Cleanup reset state
# handling in rxe_resp.c" (2023) brought it.
# In 6.1 the responder may run in the thread that sends as well, beside the calls that
# stop its tasklet; that ends a guest within minutes (F-242). Here the tasklet alone
# runs it, as the work queue does in the kernels with the bug.
# Found as: fuzz/fire\.message-once|fuzz/crashed/
/^static enum resp_states check_resource/,/^}/ s/if (qp->resp\.state == QP_STATE_ERROR)/if (!pkt \&\& qp->resp.state == QP_STATE_ERROR)/
/^void rxe_resp_queue_pkt/,/^}/ s/if (must_sched)/must_sched = 1;\n\n\tif (must_sched)/
