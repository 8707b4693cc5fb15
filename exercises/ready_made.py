"""PyTorch's ready-made functions that exercises forbid, since they would be the answer."""

ATTENTION = frozenset(
    {"scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward"}
)
SOFTMAX = frozenset(
    {"softmax", "log_softmax", "Softmax", "LogSoftmax", "Softmax2d", "softmin", "Softmin"}
    | {"gumbel_softmax", "_softmax", "_safe_softmax", "_log_softmax"}
    | {"cross_entropy", "CrossEntropyLoss", "cross_entropy_loss"}
)
NORMS = frozenset(
    {"layer_norm", "LayerNorm", "native_layer_norm", "rms_norm", "RMSNorm"}
    | {"group_norm", "GroupNorm", "native_group_norm", "instance_norm", "InstanceNorm1d"}
    | {"batch_norm", "BatchNorm1d", "native_batch_norm"}
    | {"local_response_norm", "LocalResponseNorm", "CrossMapLRN2d"}
    | {"weight_norm", "_weight_norm", "_weight_norm_interface"}
)
