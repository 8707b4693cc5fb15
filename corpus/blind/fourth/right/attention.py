"""Right answers to the new tasks on attention, fourth set, in unusual styles."""

import math

import torch


def divisor__table_of_products(q_values, q_chances, k_values, k_chances, d_k):
    """Lists every product with its chance."""
    products = torch.outer(q_values, k_values).flatten()
    chances = torch.outer(q_chances, k_chances).flatten()
    mean = (products * chances).sum()
    return float((((products - mean) ** 2 * chances).sum() * d_k) ** 0.5)


def divisor__lists(q_values, q_chances, k_values, k_chances, d_k):
    """Counts in plain Python."""

    def moment(values, chances, power):
        return sum(v**power * c for v, c in zip(values.tolist(), chances.tolist()))

    first = moment(q_values, q_chances, 1) * moment(k_values, k_chances, 1)
    second = moment(q_values, q_chances, 2) * moment(k_values, k_chances, 2)
    return math.sqrt(d_k * second - d_k * first**2)


def divisor__by_variances(q_values, q_chances, k_values, k_chances, d_k):
    """Uses Var(q) Var(k) + Var(q) E(k)^2 + E(q)^2 Var(k)."""
    q, k = (q_values * q_chances).sum(), (k_values * k_chances).sum()
    var_q = ((q_values - q) ** 2 * q_chances).sum()
    var_k = ((k_values - k) ** 2 * k_chances).sum()
    return (d_k * (var_q * var_k + var_q * k * k + q * q * var_k)).sqrt().item()


def design_head__loops(wants, facts):
    """Writes number after number."""
    n = len(wants)
    W_q, W_k = torch.zeros(n, n), torch.zeros(n, n)
    for i in range(n):
        W_k[i, i] = 1000.0
        W_q[i, wants[i]] = 1.0
    return W_q, W_k, facts.clone()


def design_head__on_a_circle(wants, facts):
    """Puts the words on a circle: two numbers are enough for a key."""
    angles = torch.arange(len(wants)) * 2 * math.pi / len(wants)
    places = torch.stack([angles.cos(), angles.sin()], dim=1)
    return 2000 * places[wants], places, facts


def design_head__wider_than_needed(wants, facts):
    """Has more columns than words."""
    n = len(wants)
    keys = torch.cat([torch.eye(n), torch.zeros(n, 5)], dim=1)
    return 300 * keys[wants], keys, facts
