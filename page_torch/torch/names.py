"""The names in PyTorch, by place: written by `tests.page_torch.names`."""

BOTH = """
abs abs_ absolute acos acos_ acosh acosh_ add addbmm addcdiv addcmul addmm addmv addmv_ addr adjoint
all allclose amax amin aminmax angle any arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh
arcsinh_ arctan arctan2 arctan_ arctanh arctanh_ argmax argmin argsort argwhere as_strided
as_strided_ as_strided_scatter asin asin_ asinh asinh_ atan atan2 atan_ atanh atanh_ baddbmm
bernoulli bfloat16 bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor bmm bool broadcast_to cdouble ceil ceil_ cfloat chalf cholesky
cholesky_inverse cholesky_solve chunk clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip
clip_ clone conj conj_physical conj_physical_ copysign corrcoef cos cos_ cosh cosh_ count_nonzero
cov cpu cross cuda cummax cummin cumprod cumsum deg2rad deg2rad_ dequantize det detach detach_
device diag diag_embed diagflat diagonal diagonal_scatter diff digamma dist div divide dot double
dsplit dtype eig eq equal erf erf_ erfc erfc_ erfinv exp exp2 exp2_ exp_ expm1 expm1_ fill_ fix fix_
flatten flip fliplr flipud float float_power floor floor_ floor_divide fmax fmin fmod frac frac_
frexp gather gcd gcd_ ge geqrf ger get_device greater greater_equal gt half hardshrink hash_tensor
heaviside histc histogram hsplit hypot i0 i0_ igamma igammac imag index_add index_copy index_fill
index_put index_put_ index_reduce index_select inner int int_repr inverse is_complex is_conj
is_distributed is_floating_point is_inference is_neg is_nonzero is_same_size is_signed isclose
isfinite isinf isnan isneginf isposinf isreal istft kron kthvalue layout lcm lcm_ ldexp ldexp_ le
lerp less less_equal lgamma log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp
logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor logit logit_ logsumexp
long lstsq lt lu lu_solve masked_fill masked_scatter masked_select matmul matrix_exp matrix_power
max maximum mean median min minimum mm mode moveaxis movedim msort mtia mul multinomial multiply mv
mvlgamma nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum narrow narrow_copy ne neg neg_
negative negative_ nextafter nonzero nonzero_static norm not_equal numel orgqr ormqr outer permute
pinverse polygamma positive pow prelu prod put q_per_channel_axis q_per_channel_scales
q_per_channel_zero_points q_scale q_zero_point qr qscheme quantile rad2deg rad2deg_ ravel real
reciprocal reciprocal_ relu relu_ remainder renorm repeat_interleave reshape resize_as_
resize_as_sparse_ resolve_conj resolve_neg roll rot90 round round_ rsqrt rsqrt_ scatter scatter_add
scatter_reduce select select_scatter sgn short sigmoid sigmoid_ sign signbit sin sin_ sinc sinc_
sinh sinh_ slice_inverse slice_scatter slogdet smm softmax solve sort split split_with_sizes sqrt
sqrt_ square square_ squeeze sspaddmm std stft storage sub subtract sum svd swapaxes swapdims symeig
t take take_along_dim tan tan_ tanh tanh_ tensor_split tile topk trace transpose triangular_solve
tril triu true_divide trunc trunc_ unbind unflatten unique unique_consecutive unsafe_chunk
unsafe_split unsafe_split_with_sizes unsqueeze var vdot vsplit where xlogy xlogy_ xpu zero_
"""

TORCH = """
BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor GradScaler HalfTensor
IntTensor LongTensor PRIVATE_OPS ShortTensor SymBool SymFloat SymInt TYPE_CHECKING Tensor TensorType
accelerator adaptive_avg_pool1d adaptive_max_pool1d affine_grid_generator alpha_dropout
alpha_dropout_ amp ao arange are_deterministic_algorithms_enabled as_tensor asarray atleast_1d
atleast_2d atleast_3d autocast autograd avg_pool1d backends bartlett_window batch_norm bilinear
binary_cross_entropy_with_logits binomial bit bits16 bits8 blackman_window block_diag
broadcast_shapes broadcast_tensors bucketize can_cast cartesian_prod cat cdist celu celu_
chain_matmul channel_shuffle channels_last channels_last_3d choose_qparams_optimized classes
classproperty column_stack combinations compile compiled_with_cxx11_abi compiler complex complex128
complex32 complex64 concat concatenate cond constant_pad_nd contiguous_format conv1d conv2d conv3d
conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution cosine_embedding_loss
cosine_similarity cpp ctc_loss cumulative_trapezoid default_generator distributed distributions
dropout dropout_ dsmm dstack e einsum embedding embedding_bag embedding_renorm_ empty empty_like
empty_permuted empty_strided enable_grad export eye feature_alpha_dropout feature_alpha_dropout_
feature_dropout feature_dropout_ fft fill finfo float16 float32 float64 fork frobenius_norm
from_dlpack from_file from_numpy frombuffer full full_like func functional futures fx
get_default_device get_default_dtype get_deterministic_debug_mode get_device_module get_file_path
get_float32_matmul_precision get_num_interop_threads get_num_threads get_rng_state gradient
group_norm gru hamming_window hann_window has_lapack has_mkl has_openmp has_spectral
hinge_embedding_loss histogramdd hsmm hspmm hstack hub iinfo inf inference_mode init_num_threads
initial_seed instance_norm int16 int32 int64 int8 is_deterministic_algorithms_warn_only_enabled
is_grad_enabled is_inference_mode_enabled is_storage is_tensor is_warn_always_enabled isin jagged
jit kaiser_window kl_div layer_norm legacy_contiguous_format library linalg linspace load lobpcg
logspace lstm lu_unpack manual_seed margin_ranking_loss masked matrix_rank max_pool1d max_pool2d
max_pool3d memory_format meshgrid monitor mps multiprocessing nan nested newaxis nn no_grad
norm_except_dim normal nuclear_norm ones ones_like ops optim overrides package pairwise_distance
pca_lowrank pdist pi pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar
prepare_multiprocessing_environment preserve_format promote_types qint32 qint8 quantization
quasirandom quint8 rand rand_like randint randint_like randn randn_like random randperm range
result_type return_types rms_norm rnn_relu rnn_tanh row_stack rrelu rrelu_ rsub saddmm save
scalar_tensor searchsorted seed segment_reduce selu selu_ serialization set_default_device
set_default_dtype set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision
set_flush_denormal set_grad_enabled set_num_interop_threads set_num_threads set_printoptions
set_rng_state set_warn_always signal sparse sparse_bsc sparse_bsc_tensor sparse_bsr
sparse_bsr_tensor sparse_compressed_tensor sparse_coo sparse_coo_tensor sparse_csc sparse_csc_tensor
sparse_csr sparse_csr_tensor special spmm stack std_mean strided svd_lowrank tensor tensordot
testing thread_safe_generator threshold threshold_ to_dlpack torch_version trapezoid trapz
tril_indices triplet_margin_loss triu_indices typename types uint16 uint32 uint64 uint8
unify_type_list unravel_index use_deterministic_algorithms utils vander var_mean version
view_as_complex view_as_real vmap vstack wait while_loop windows zeros zeros_like
"""

TENSOR = """
H T absolute_ add_ addbmm_ addcdiv_ addcmul_ addmm_ addr_ apply_ arctan2_ as_subclass atan2_
backward baddbmm_ bernoulli_ bitwise_and_ bitwise_left_shift_ bitwise_not_ bitwise_or_
bitwise_right_shift_ bitwise_xor_ byte cauchy_ ccol_indices char coalesce col_indices const_data_ptr
contiguous copy_ copysign_ crow_indices cumprod_ cumsum_ data data_ptr dense_dim digamma_ dim
dim_order div_ divide_ element_size eq_ erfinv_ expand expand_as exponential_ fill_diagonal_
float_power_ floor_divide_ fmod_ ge_ geometric_ grad grad_dtype grad_fn greater_ greater_equal_ gt_
heaviside_ hypot_ igamma_ igammac_ index index_add_ index_copy_ index_fill_ index_reduce_ indices
ipu is_coalesced is_contiguous is_cpu is_cuda is_ipu is_leaf is_maia is_meta is_mkldnn is_mps
is_mtia is_nested is_pinned is_quantized is_set_to is_shared is_sparse is_sparse_csr is_vulkan
is_xla is_xpu item itemsize le_ lerp_ less_ less_equal_ lgamma_ log_normal_ logical_and_
logical_not_ logical_or_ logical_xor_ lt_ mH mT map2_ map_ masked_fill_ masked_scatter_ module_load
mul_ multiply_ mvlgamma_ name nbytes ndim ndimension ne_ nelement new new_empty new_empty_strided
new_full new_ones new_tensor new_zeros nextafter_ normal_ not_equal_ numpy output_nr pin_memory
polygamma_ pow_ put_ random_ record_stream register_hook register_post_accumulate_grad_hook
reinforce remainder_ renorm_ repeat requires_grad requires_grad_ reshape_as resize resize_ resize_as
retain_grad retains_grad row_indices scatter_ scatter_add_ scatter_reduce_ set_ sgn_ shape
share_memory_ sign_ size sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ squeeze_
storage_offset storage_type stride sub_ subtract_ sum_to_size swapaxes_ swapdims_ t_ to to_dense
to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc
to_sparse_csr tolist transpose_ tril_ triu_ true_divide_ type type_as unfold uniform_ unsqueeze_
untyped_storage values view view_as volatile
"""

NN = """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool1d
AdaptiveMaxPool2d AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss
BCEWithLogitsLoss BatchNorm1d BatchNorm2d BatchNorm3d Bilinear Buffer CELU CTCLoss ChannelShuffle
CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d Container Conv1d
Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d CosineEmbeddingLoss CosineSimilarity
CrossEntropyLoss CrossMapLRN2d DataParallel Dropout Dropout1d Dropout2d Dropout3d ELU Embedding
EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GRU
GRUCell GaussianNLLLoss GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss
HuberLoss Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d KLDivLoss L1Loss LPPool1d LPPool2d
LPPool3d LSTM LSTMCell LayerNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d
LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d
LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU Linear LinearCrossEntropyLoss
LinearCrossEntropyOptions LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss
MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish Module ModuleDict ModuleList
MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss MultiheadAttention NLLLoss NLLLoss2d
PReLU PairwiseDistance Parameter ParameterDict ParameterList PixelShuffle PixelUnshuffle
PoissonNLLLoss RMSNorm RNN RNNBase RNNCell RNNCellBase RReLU ReLU ReLU6 ReflectionPad1d
ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU Sequential
SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign
SyncBatchNorm Tanh Tanhshrink Threshold Transformer TransformerDecoder TransformerDecoderLayer
TransformerEncoder TransformerEncoderLayer TripletMarginLoss TripletMarginWithDistanceLoss Unflatten
Unfold UninitializedBuffer UninitializedParameter Upsample UpsamplingBilinear2d UpsamplingNearest2d
ZeroPad1d ZeroPad2d ZeroPad3d attention common_types factory_kwargs functional grad init intrinsic
modules parallel parameter qat quantizable quantized utils
"""

NN_FUNCTIONAL = """
BroadcastingList1 BroadcastingList2 BroadcastingList3 Callable DType GRID_SAMPLE_INTERPOLATION_MODES
GRID_SAMPLE_PADDING_MODES Optional ScalingType SwizzleType TYPE_CHECKING Tensor adaptive_avg_pool1d
adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices
adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d
adaptive_max_pool3d_with_indices affine_grid alpha_dropout assert_int_or_pair avg_pool1d avg_pool2d
avg_pool3d batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits
boolean_dispatch celu celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity cross_entropy ctc_loss
dropout dropout1d dropout2d dropout3d elu elu_ embedding embedding_bag feature_alpha_dropout fold
fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d
fractional_max_pool3d_with_indices gaussian_nll_loss gelu glu grad grid_sample group_norm grouped_mm
gumbel_softmax handle_torch_function hardshrink hardsigmoid hardswish hardtanh hardtanh_
has_torch_function has_torch_function_unary has_torch_function_variadic hinge_embedding_loss
huber_loss instance_norm interpolate kl_div l1_loss layer_norm leaky_relu leaky_relu_ linear
linear_cross_entropy local_response_norm log_softmax logsigmoid lp_pool1d lp_pool2d lp_pool3d
margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d
max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d mish mse_loss
multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
native_channel_shuffle nll_loss normalize one_hot pad pairwise_distance pdist pixel_shuffle
pixel_unshuffle poisson_nll_loss prelu relu relu6 relu_ reproducibility_notes rms_norm rrelu rrelu_
scaled_dot_product_attention scaled_grouped_mm scaled_mm selu selu_ sigmoid silu smooth_l1_loss
soft_margin_loss softmax softmin softplus softshrink softsign sparse_support_notes tanh tanhshrink
tf32_notes threshold threshold_ triplet_margin_loss triplet_margin_with_distance_loss unfold
upsample upsample_bilinear upsample_nearest
"""

NN_MODULE = """
T_destination add_module append apply bfloat16 buffers call_super_init children compile cpu cuda
double dump_patches eval extend extra_repr float forward from_pretrained get_buffer get_extra_state
get_parameter get_submodule half insert ipu load_state_dict modules mtia named_buffers
named_children named_modules named_parameters parameters pop register_backward_hook register_buffer
register_forward_hook register_forward_pre_hook register_full_backward_hook
register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook
register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook
requires_grad_ reset_parameters set_extra_state set_submodule share_memory state_dict to to_empty
train type xpu zero_grad
"""

NN_INIT = """
Callable Literal ParamSpec Tensor TypeVar calculate_gain constant constant_ dirac dirac_ eye eye_
kaiming_normal kaiming_normal_ kaiming_uniform kaiming_uniform_ normal normal_ ones_ orthogonal
orthogonal_ sparse sparse_ trunc_normal_ uniform uniform_ xavier_normal xavier_normal_
xavier_uniform xavier_uniform_ zeros_
"""

NN_UTILS = """
clip_grad clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_
convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format convert_parameters
fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights fusion
get_total_norm init memory_format parameters_to_vector parametrizations parametrize
remove_spectral_norm remove_weight_norm rnn skip_init spectral_norm stateless vector_to_parameters
weight_norm
"""

LINALG = """
LinAlgError cholesky cholesky_ex common_notes cond cross det diagonal eig eigh eigvals eigvalsh
householder_product inv inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex
lu_solve matmul matrix_exp matrix_norm matrix_power matrix_rank multi_dot norm pinv qr slogdet solve
solve_ex solve_triangular svd svdvals tensorinv tensorsolve vander vecdot vector_norm
"""

NAMES = {
    "": frozenset(f"{BOTH} {TORCH}".split()),
    "Tensor": frozenset(f"{BOTH} {TENSOR}".split()),
    "nn": frozenset(NN.split()),
    "nn.functional": frozenset(NN_FUNCTIONAL.split()),
    "nn.Module": frozenset(NN_MODULE.split()),
    "nn.init": frozenset(NN_INIT.split()),
    "nn.utils": frozenset(NN_UTILS.split()),
    "linalg": frozenset(LINALG.split()),
}
