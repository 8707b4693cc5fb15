import math

import torch
import torch.nn.functional as F


# mean_variance
def mean_variance__sample_variance(x):
    """Intended: uses x.var with its default correction, so the variance is divided by d - 1 instead of d."""
    return x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True)


def mean_variance__square_shortcut(x):
    """Intended: computes the variance as mean of squares minus square of the mean, which is lost in rounding (even negative) for tokens far from 0."""
    mean = x.mean(dim=-1, keepdim=True)
    return mean, x.square().mean(dim=-1, keepdim=True) - mean.square()


def mean_variance__library_order(x):
    """Intended: returns what torch.var_mean gives as it comes, so the variance stands first and the mean second."""
    first, second = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return first, second


def mean_variance__last_axis_lost(x):
    """Intended: right numbers without the last axis, shape (...) instead of (..., 1)."""
    mean = x.mean(dim=-1)
    return mean, (x - mean[..., None]).square().mean(dim=-1)


def mean_variance__around_zero(x):
    """Intended: forgets to subtract the mean before squaring, so the second result is the mean square of RMSNorm."""
    return x.mean(dim=-1, keepdim=True), x.square().mean(dim=-1, keepdim=True)


def mean_variance__over_everything(x):
    """Intended: takes one mean and one variance of the whole tensor and repeats them for each token, right for one token only."""
    shape = (*x.shape[:-1], 1)
    mean = x.mean()
    variance = (x - mean).square().mean()
    return mean.expand(shape), variance.expand(shape)


def mean_variance__sample_deviation(x):
    """Intended: two mistakes: returns the standard deviation instead of the variance, and divides by d - 1."""
    return x.mean(dim=-1, keepdim=True), x.std(dim=-1, keepdim=True)


# layer_norm
def layer_norm__eps_outside(x, gamma, beta, eps):
    """Intended: adds eps to the root instead of to the variance, which shows when eps is not tiny beside the variance."""
    mean, variance = mean_variance(x)
    return gamma * (x - mean) / (variance.sqrt() + eps) + beta


def layer_norm__shift_before_scale(x, gamma, beta, eps):
    """Intended: shifts first and scales then, so beta is multiplied by gamma."""
    mean, variance = mean_variance(x)
    return gamma * ((x - mean) / (variance + eps).sqrt() + beta)


def layer_norm__writes_into_x(x, gamma, beta, eps):
    """Intended: subtracts and divides in place, so the caller's x is normalised as well."""
    mean, variance = mean_variance(x)
    x -= mean
    x /= (variance + eps).sqrt()
    return gamma * x + beta


def layer_norm__constant_statistics(x, gamma, beta, eps):
    """Intended: right numbers, but detaches mean and variance as if they were constants, so the gradient of x is wrong."""
    mean, variance = mean_variance(x)
    mean, variance = mean.detach(), variance.detach()
    return gamma * (x - mean) / (variance + eps).sqrt() + beta


def layer_norm__eps_as_floor(x, gamma, beta, eps):
    """Intended: uses eps as the smallest allowed variance instead of adding it to the variance."""
    mean, variance = mean_variance(x)
    return gamma * (x - mean) / variance.clamp(min=eps).sqrt() + beta


def layer_norm__one_plus_gamma(x, gamma, beta, eps):
    """Intended: scales by 1 + gamma, as models do that store gamma as a difference from 1."""
    mean, variance = mean_variance(x)
    return (1 + gamma) * (x - mean) / (variance + eps).sqrt() + beta


def layer_norm__mean_left_flat_skips_beta(x, gamma, beta, eps):
    """Intended: two mistakes: leaves the mean in (divides x itself by the root of the variance), and gives 0 instead of beta where all features are equal."""
    mean, variance = mean_variance(x)
    out = gamma * x / (variance + eps).sqrt() + beta
    return torch.where(variance == 0, torch.zeros_like(out), out)


# rms_norm
def rms_norm__mean_taken_out(x, gamma, eps):
    """Intended: subtracts the mean first, so it is a LayerNorm without beta."""
    mean, variance = mean_variance(x)
    return gamma * (x - mean) / (variance + eps).sqrt()


def rms_norm__divides_by_deviation(x, gamma, eps):
    """Intended: leaves the mean in but divides by the root of the variance instead of the root of the mean square."""
    mean, variance = mean_variance(x)
    return gamma * x / (variance + eps).sqrt()


def rms_norm__mean_before_square(x, gamma, eps):
    """Intended: reads root mean square from the wrong side, takes the mean first and squares it then, so it divides by the size of the mean."""
    return gamma * x / (x.mean(dim=-1, keepdim=True).square() + eps).sqrt()


def rms_norm__gamma_before(x, gamma, eps):
    """Intended: multiplies by gamma before the norm, so gamma counts in the mean square and a common factor of gamma is lost."""
    scaled = gamma * x
    return scaled / (scaled.square().mean(dim=-1, keepdim=True) + eps).sqrt()


def rms_norm__one_size_for_all(x, gamma, eps):
    """Intended: takes the mean square over the whole tensor instead of each token, right for one token only."""
    return gamma * x / (x.square().mean() + eps).sqrt()


def rms_norm__normalize_floor(x, gamma, eps):
    """Intended: uses F.normalize times the root of D, where eps is only a floor under the length instead of being added under the root."""
    return gamma * F.normalize(x, dim=-1, eps=eps) * math.sqrt(x.shape[-1])


def rms_norm__length_eps_outside(x, gamma, eps):
    """Intended: two mistakes: divides by the vector's length (the 1/d is missing), and adds eps outside the root."""
    return gamma * x / (x.square().sum(dim=-1, keepdim=True).sqrt() + eps)


# post_norm
def post_norm__norm_on_branch(x, weight, gamma, beta, eps):
    """Intended: normalises what the sublayer says before the addition instead of the sum."""
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


def post_norm__no_residual(x, weight, gamma, beta, eps):
    """Intended: forgets the addition and normalises the sublayer's result alone."""
    return layer_norm(sublayer(x, weight), gamma, beta, eps)


def post_norm__normed_input(x, weight, gamma, beta, eps):
    """Intended: normalises on the way in as well, so the sublayer reads Norm(x) instead of x before the sum is normalised."""
    normed = layer_norm(x, gamma, beta, eps)
    return layer_norm(x + sublayer(normed, weight), gamma, beta, eps)


def post_norm__second_residual(x, weight, gamma, beta, eps):
    """Intended: adds x once more after the norm, so the result is not normalised."""
    return x + layer_norm(x + sublayer(x, weight), gamma, beta, eps)


def post_norm__stream_in_place(x, weight, gamma, beta, eps):
    """Intended: right result, but adds the sublayer's result into the given x."""
    x += sublayer(x, weight)
    return layer_norm(x, gamma, beta, eps)


def post_norm__each_normed(x, weight, gamma, beta, eps):
    """Intended: takes the norm of a sum for the sum of the norms: Norm(x) + Norm(f(x))."""
    return layer_norm(x, gamma, beta, eps) + layer_norm(
        sublayer(x, weight), gamma, beta, eps
    )


def post_norm__stream_detached(x, weight, gamma, beta, eps):
    """Intended: right numbers, but detaches the stream in the addition, so no gradient flows past the sublayer."""
    return layer_norm(x.detach() + sublayer(x, weight), gamma, beta, eps)


# pre_norm
def pre_norm__normed_stream(x, weight, gamma, beta, eps):
    """Intended: overwrites x by its norm, so the normalised x is added instead of the untouched stream."""
    x = layer_norm(x, gamma, beta, eps)
    return x + sublayer(x, weight)


def pre_norm__norm_behind_sublayer(x, weight, gamma, beta, eps):
    """Intended: puts the norm on the branch, but behind the sublayer instead of before it."""
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


def pre_norm__no_residual(x, weight, gamma, beta, eps):
    """Intended: forgets the addition, so with a weight of zeros nothing is left of x."""
    return sublayer(layer_norm(x, gamma, beta, eps), weight)


def pre_norm__norm_at_the_end_too(x, weight, gamma, beta, eps):
    """Intended: extra step, normalises the stream again after the addition."""
    y = x + sublayer(layer_norm(x, gamma, beta, eps), weight)
    return layer_norm(y, gamma, beta, eps)


def pre_norm__rms_instead(x, weight, gamma, beta, eps):
    """Intended: takes rms_norm as Llama does instead of layer_norm, so the mean stays in and beta is not used."""
    return x + sublayer(rms_norm(x, gamma, eps), weight)


def pre_norm__scale_shift_exchanged(x, weight, gamma, beta, eps):
    """Intended: hands beta and gamma to layer_norm in the wrong order, so scale and shift are exchanged."""
    return x + sublayer(layer_norm(x, beta, gamma, eps), weight)


def pre_norm__branch_without_gradient(x, weight, gamma, beta, eps):
    """Intended: right numbers, but computes the norm under no_grad, so gamma and beta get no gradient and x gets none through the branch."""
    with torch.no_grad():
        normed = layer_norm(x, gamma, beta, eps)
    return x + sublayer(normed, weight)


# shapes
def shapes__means_without_last_axis(B, T, D, F):
    """Intended: gives the means without the axis of length 1 that keepdim=True keeps."""
    return (B, T), (D,), (D, F), (B, T, F), (B, T, D)


def shapes__gamma_no_tuple(B, T, D, F):
    """Intended: writes (D), which is a number and not a tuple."""
    return (B, T, 1), (D), (D, F), (B, T, F), (B, T, D)


def shapes__matrix_as_linear_stores(B, T, D, F):
    """Intended: gives the first matrix as nn.Linear stores it, (F, D), although x W_1 is asked for."""
    return (B, T, 1), (D,), (F, D), (B, T, F), (B, T, D)


def shapes__means_per_feature(B, T, D, F):
    """Intended: takes the mean over sentences and tokens, as batch norm does, one for each feature."""
    return (1, 1, D), (D,), (D, F), (B, T, F), (B, T, D)


def shapes__gamma_per_place(B, T, D, F):
    """Intended: thinks that each place has its own gamma, although what is learned does not know the number of tokens."""
    return (B, T, 1), (T, D), (D, F), (B, T, F), (B, T, D)


def shapes__output_stays_wide(B, T, D, F):
    """Intended: forgets that the second linear layer narrows to D again, so the output is F wide."""
    return (B, T, 1), (D,), (D, F), (B, T, F), (B, T, F)


def shapes__matrix_per_sentence_mean_per_text(B, T, D, F):
    """Intended: two mistakes: one mean for each sentence instead of each token, and a first matrix for each sentence."""
    return (B, 1, 1), (D,), (B, D, F), (B, T, F), (B, T, D)


# swiglu
def swiglu__branches_exchanged(x, gate, widen, narrow):
    """Intended: sends the widened branch through swish and leaves the gate branch as it is."""
    return ((x @ gate) * F.silu(x @ widen)) @ narrow


def swiglu__plain_sigmoid(x, gate, widen, narrow):
    """Intended: opens the gate with the sigmoid alone, forgetting the factor z of swish (a GLU)."""
    return (torch.sigmoid(x @ gate) * (x @ widen)) @ narrow


def swiglu__adds_branches(x, gate, widen, narrow):
    """Intended: reads the circled dot as an addition of both branches."""
    return (F.silu(x @ gate) + x @ widen) @ narrow


def swiglu__swish_of_product(x, gate, widen, narrow):
    """Intended: multiplies both branches first and applies swish to the product."""
    return F.silu((x @ gate) * (x @ widen)) @ narrow


def swiglu__overflow(x, gate, widen, narrow):
    """Intended: writes the sigmoid as exp(z) / (1 + exp(z)), which is infinity over infinity, so nan, for dot products above about 89."""
    z = x @ gate
    opened = z * (z.exp() / (1 + z.exp()))
    return (opened * (x @ widen)) @ narrow


def swiglu__with_residual(x, gate, widen, narrow):
    """Intended: extra step, adds x to the network's result."""
    return x + (F.silu(x @ gate) * (x @ widen)) @ narrow


def swiglu__gelu(x, gate, widen, narrow):
    """Intended: takes GELU for swish, a curve of much the same shape with other numbers."""
    return (F.gelu(x @ gate) * (x @ widen)) @ narrow


# count_parameters
def count_parameters__full_width_heads(d_model, heads, d_ff):
    """Intended: gives each head queries, keys and values of the full width, so these count heads times too often."""
    linear = d_model * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return 3 * heads * linear + linear + network + 4 * d_model


def count_parameters__no_output_projection(d_model, heads, d_ff):
    """Intended: counts queries, keys and values only and forgets the output projection."""
    linear = d_model * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return 3 * linear + network + 4 * d_model


def count_parameters__biases_of_inputs(d_model, heads, d_ff):
    """Intended: gives each network layer a bias as long as its hidden side, so the second bias has d_ff numbers instead of d_model."""
    linear = d_model * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_ff
    return 4 * linear + network + 4 * d_model


def count_parameters__bias_shared_by_heads(d_model, heads, d_ff):
    """Intended: counts heads of width d_model / heads, but only one bias of a head's width for all heads of queries, keys and values."""
    width = d_model // heads
    one_kind = heads * d_model * width + width
    output = d_model * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return 3 * one_kind + output + network + 4 * d_model


def count_parameters__output_reads_one_head(d_model, heads, d_ff):
    """Intended: lets the output projection read one head only, so its matrix is heads times too small."""
    width = d_model // heads
    linear = d_model * d_model + d_model
    output = width * d_model + d_model
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return 3 * linear + output + network + 4 * d_model


def count_parameters__four_times_width(d_model, heads, d_ff):
    """Intended: assumes d_ff = 4 d_model as in the paper and ignores the argument, right for 512, 8, 2048."""
    inner = 4 * d_model
    linear = d_model * d_model + d_model
    network = d_model * inner + inner + inner * d_model + d_model
    return 4 * linear + network + 4 * d_model


def count_parameters__no_attention_bias_no_beta(d_model, heads, d_ff):
    """Intended: two mistakes: the four projections have no bias, and the norms have a gamma only."""
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return 4 * d_model * d_model + network + 2 * d_model


# whole_layer
def whole_layer__second_reads_x(x, first, second, gammas, betas, eps):
    """Intended: exchanges the two: the addition now takes middle, but the second sublayer reads x."""
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = middle + sublayer(x, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__past_the_norm(x, first, second, gammas, betas, eps):
    """Intended: the second addition takes the stream before the first norm instead of after it."""
    middle = x + sublayer(x, first)
    normed = layer_norm(middle, gammas[0], betas[0], eps)
    output = middle + sublayer(normed, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__no_second_residual(x, first, second, gammas, betas, eps):
    """Intended: takes the wrong x away but puts nothing in its place, so the second residual connection is missing."""
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__both_added(x, first, second, gammas, betas, eps):
    """Intended: adds the stream but leaves x in the sum as well, so x comes in twice."""
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = x + middle + sublayer(middle, second)
    return layer_norm(output, gammas[1], betas[1], eps)


def whole_layer__same_norm_twice(x, first, second, gammas, betas, eps):
    """Intended: mends the addition, but copies the first norm, so the second uses gammas[0] and betas[0] too."""
    middle = x + sublayer(x, first)
    middle = layer_norm(middle, gammas[0], betas[0], eps)
    output = middle + sublayer(middle, second)
    return layer_norm(output, gammas[0], betas[0], eps)


def whole_layer__made_pre_norm(x, first, second, gammas, betas, eps):
    """Intended: rewrites the layer in pre-norm, so the stream meets no norm, instead of mending the post-norm one."""
    middle = x + sublayer(layer_norm(x, gammas[0], betas[0], eps), first)
    normed = layer_norm(middle, gammas[1], betas[1], eps)
    return middle + sublayer(normed, second)


def whole_layer__stream_in_place(x, first, second, gammas, betas, eps):
    """Intended: right result, with one name for the whole stream, but the first addition writes into the given x."""
    x += sublayer(x, first)
    x = layer_norm(x, gammas[0], betas[0], eps)
    x = x + sublayer(x, second)
    return layer_norm(x, gammas[1], betas[1], eps)


# is_layer_norm
def is_layer_norm__near_zero_only(norm):
    """Intended: tries no tokens far from 0, so a variance computed as mean of squares minus squared mean passes."""
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 1, 3, 5)):
        for eps in (1e-5, 0.5):
            x = torch.randn(shape)
            gamma, beta = torch.randn(2, shape[-1])
            right = layer_norm(x, gamma, beta, eps)
            copy = x.clone()
            found = norm(x, gamma, beta, eps)
            if not torch.equal(x, copy) or found.shape != right.shape:
                return False
            if not ((found - right).abs() <= 0.01 * (1 + right.abs())).all():
                return False
    return True


def is_layer_norm__copy_is_no_copy(norm):
    """Intended: keeps x under a second name instead of a clone, so a norm that writes into x is never noticed."""
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 1, 3, 5)):
        for eps in (1e-5, 0.5):
            for far in (0, 4096):
                x = (torch.randn(shape) * 12).round() / 4 + far
                x[..., 0] += 2
                gamma, beta = torch.randn(2, shape[-1])
                right = layer_norm(x, gamma, beta, eps)
                copy = x
                found = norm(x, gamma, beta, eps)
                if not torch.equal(x, copy) or found.shape != right.shape:
                    return False
                if not ((found - right).abs() <= 0.01 * (1 + right.abs())).all():
                    return False
    return True


def is_layer_norm__bit_by_bit(norm):
    """Intended: wants the very same floats with torch.equal, so right norms that round otherwise are called faulty."""
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 1, 3, 5)):
        for eps in (1e-5, 0.5):
            for far in (0, 4096):
                x = (torch.randn(shape) * 12).round() / 4 + far
                gamma, beta = torch.randn(2, shape[-1])
                right = layer_norm(x, gamma, beta, eps)
                copy = x.clone()
                found = norm(x, gamma, beta, eps)
                if not torch.equal(x, copy) or not torch.equal(found, right):
                    return False
    return True


def is_layer_norm__tiny_eps(norm):
    """Intended: tries only eps = 0.00001 beside a variance of 1 or more, so a missing or misplaced eps is not noticed."""
    eps = 1e-5
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 1, 3, 5)):
        for far in (0, 4096):
            x = (torch.randn(shape) * 12).round() / 4 + far
            x[..., 0] = far - 3
            x[..., 1] = far + 3
            gamma, beta = torch.randn(2, shape[-1])
            right = layer_norm(x, gamma, beta, eps)
            copy = x.clone()
            found = norm(x, gamma, beta, eps)
            if not torch.equal(x, copy) or found.shape != right.shape:
                return False
            if not ((found - right).abs() <= 0.01 * (1 + right.abs())).all():
                return False
    return True


def is_layer_norm__gamma_is_beta(norm):
    """Intended: uses the same random numbers for gamma and beta, so a norm that exchanges the two passes."""
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 1, 3, 5)):
        for eps in (1e-5, 0.5):
            for far in (0, 4096):
                x = (torch.randn(shape) * 12).round() / 4 + far
                x[..., 0] = far - 3
                x[..., 1] = far + 3
                gamma = beta = torch.randn(shape[-1])
                right = layer_norm(x, gamma, beta, eps)
                copy = x.clone()
                found = norm(x, gamma, beta, eps)
                if not torch.equal(x, copy) or found.shape != right.shape:
                    return False
                if not ((found - right).abs() <= 0.01 * (1 + right.abs())).all():
                    return False
    return True


def is_layer_norm__one_token(norm):
    """Intended: tries single tokens only, so a norm that takes its mean and variance over all tokens together passes."""
    for width in (2, 3, 4, 5):
        for eps in (1e-5, 0.5):
            for far in (0, 4096):
                x = (torch.randn(1, 1, width) * 12).round() / 4 + far
                x[..., 0] = far - 3
                x[..., 1] = far + 3
                gamma, beta = torch.randn(2, width)
                right = layer_norm(x, gamma, beta, eps)
                copy = x.clone()
                found = norm(x, gamma, beta, eps)
                if not torch.equal(x, copy) or found.shape != right.shape:
                    return False
                if not ((found - right).abs() <= 0.01 * (1 + right.abs())).all():
                    return False
    return True


def is_layer_norm__far_and_too_close(norm):
    """Intended: its far tokens are 4096 plus hundredths, which float32 hardly holds, so right norms with another order of rounding are called faulty."""
    for shape in ((4,), (3, 4), (2, 3, 4), (2, 8, 3, 5)):
        for eps, far, spread in ((0.5, 0, 1.0), (1e-5, 4096, 0.01)):
            x = torch.randn(shape) * spread + far
            gamma, beta = torch.randn(2, shape[-1])
            right = layer_norm(x, gamma, beta, eps)
            copy = x.clone()
            found = norm(x, gamma, beta, eps)
            if not torch.equal(x, copy) or found.shape != right.shape:
                return False
            if not ((found - right).abs() <= 0.01 * (1 + right.abs())).all():
                return False
    return True


# largest_rate
def largest_rate__gradients_pile_up(make_model, rates, steps):
    """Intended: never clears the gradients, so each step takes off the sum of all gradients so far."""
    best = 0.0
    for rate in rates:
        model = make_model()
        before = model().item()
        for _ in range(steps):
            model().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter -= rate * parameter.grad
        if model().item() < before / 4:
            best = max(best, rate)
    return best


def largest_rate__one_model_for_all(make_model, rates, steps):
    """Intended: makes the model once, so each rate goes on from where the rate before it has left the parameters."""
    best = 0.0
    model = make_model()
    for rate in rates:
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        before = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        if model().item() < before / 4:
            best = max(best, rate)
    return best


def largest_rate__stops_at_first_failure(make_model, rates, steps):
    """Intended: goes up through the sorted rates and stops at the first that fails after one has learned, so a larger one that learns again is missed."""
    best = 0.0
    for rate in sorted(rates):
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        before = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        if model().item() < before / 4:
            best = rate
        elif best:
            break
    return best


def largest_rate__lowest_on_the_way(make_model, rates, steps):
    """Intended: takes the lowest loss on the way instead of the last, so a loss that rises again before the end counts as learned."""
    best = 0.0
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        before = lowest = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
            lowest = min(lowest, model().item())
        if lowest < before / 4:
            best = max(best, rate)
    return best


def largest_rate__nan_counts(make_model, rates, steps):
    """Intended: asks whether the loss is still above a quarter and skips those rates, so nan, which is not above anything, counts as learned."""
    best = 0.0
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        before = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        if model().item() >= before / 4:
            continue
        best = max(best, rate)
    return best


def largest_rate__loss_before_last_step(make_model, rates, steps):
    """Intended: judges by the last loss computed in the loop, which is the one before the last step, so the last step's effect is not seen."""
    best = 0.0
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        losses = [model().item()]
        for _ in range(steps):
            optimizer.zero_grad()
            loss = model()
            losses.append(loss.item())
            loss.backward()
            optimizer.step()
        if losses[-1] < losses[0] / 4:
            best = max(best, rate)
    return best


def largest_rate__best_loss_wins(make_model, rates, steps):
    """Intended: returns the rate whose last loss is the smallest of those that have learned, instead of the largest rate that has learned."""
    best, smallest = 0.0, math.inf
    for rate in rates:
        model = make_model()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        before = model().item()
        for _ in range(steps):
            optimizer.zero_grad()
            model().backward()
            optimizer.step()
        after = model().item()
        if after < before / 4 and after < smallest:
            best, smallest = rate, after
    return best
