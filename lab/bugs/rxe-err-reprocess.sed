# drivers/infiniband/sw/rxe/rxe_resp.c
#
# Puts in what "RDMA/rxe: Avoid reprocessing the current packet after the QP enters
# the error state" (July 2026) mends. 6.1 never had it: "RDMA/rxe: Cleanup reset state
# handling in rxe_resp.c" (2023) brought it.
# Found as: fuzz/fire\.message-once|fuzz/crashed/
/^static enum resp_states check_resource/,/^}/ s/if (qp->resp\.state == QP_STATE_ERROR)/if (!pkt \&\& qp->resp.state == QP_STATE_ERROR)/
