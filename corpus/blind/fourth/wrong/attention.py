"""Wrong answers to the new tasks on attention, fourth set, written from their text alone."""

import math

import torch


def divisor__means_left_out(q_values, q_chances, k_values, k_chances, d_k):
    """Multiplies the two variances, which is right only if both means are 0."""
    q_mean, k_mean = q_values @ q_chances, k_values @ k_chances
    q_var = ((q_values - q_mean) ** 2) @ q_chances
    k_var = ((k_values - k_mean) ** 2) @ k_chances
    return math.sqrt(d_k * q_var.item() * k_var.item())


def divisor__one_product(q_values, q_chances, k_values, k_chances, d_k):
    """Forgets that there are d_k products."""
    mean = (q_values @ q_chances) * (k_values @ k_chances)
    square = (q_values.square() @ q_chances) * (k_values.square() @ k_chances)
    return math.sqrt(square - mean**2)


def divisor__variance(q_values, q_chances, k_values, k_chances, d_k):
    """Gives the variance, not its root."""
    mean = (q_values @ q_chances) * (k_values @ k_chances)
    square = (q_values.square() @ q_chances) * (k_values.square() @ k_chances)
    return (d_k * (square - mean**2)).item()


def divisor__as_in_the_paper(q_values, q_chances, k_values, k_chances, d_k):
    """Divides by the root of the width, whatever the numbers are."""
    return math.sqrt(d_k)


def divisor__mean_of_squares(q_values, q_chances, k_values, k_chances, d_k):
    """Forgets to subtract the squared mean of the product."""
    square = (q_values**2 * q_chances).sum() * (k_values**2 * k_chances).sum()
    return math.sqrt(d_k * square)


def divisor__fair_coins(q_values, q_chances, k_values, k_chances, d_k):
    """Takes all values for equally likely."""
    mean = q_values.mean() * k_values.mean()
    square = q_values.square().mean() * k_values.square().mean()
    return math.sqrt(d_k * (square - mean**2))


def divisor__width_not_its_root(q_values, q_chances, k_values, k_chances, d_k):
    """Multiplies the deviation of one product by the width."""
    mean = (q_values @ q_chances) * (k_values @ k_chances)
    square = (q_values.square() @ q_chances) * (k_values.square() @ k_chances)
    return d_k * math.sqrt(square - mean**2)


def divisor__drawn(q_values, q_chances, k_values, k_chances, d_k):
    """Draws scores and measures their deviation."""
    shape = (20_000, int(d_k))
    q = q_values[torch.multinomial(q_chances.float(), shape[0] * shape[1], True)].reshape(shape)
    k = k_values[torch.multinomial(k_chances.float(), shape[0] * shape[1], True)].reshape(shape)
    return (q * k).sum(dim=1).std().item()


def divisor__mean_squared_with_the_width(q_values, q_chances, k_values, k_chances, d_k):
    """Takes the square of the score's mean from too few squares."""
    mean = d_k * (q_values @ q_chances) * (k_values @ k_chances)
    square = d_k * (q_values.square() @ q_chances) * (k_values.square() @ k_chances)
    return math.sqrt(abs(square - mean**2))


def divisor__sum_of_variances(q_values, q_chances, k_values, k_chances, d_k):
    """Adds the variances of query and key, as for a sum."""
    q_var = q_values.square() @ q_chances - (q_values @ q_chances) ** 2
    k_var = k_values.square() @ k_chances - (k_values @ k_chances) ** 2
    return math.sqrt(d_k * (q_var + k_var))


def design_head__lukewarm(wants, facts):
    """Points to the right words, but not sharply."""
    one = torch.eye(len(wants))
    return one[wants], one, facts


def design_head__without_the_root(wants, facts):
    """Makes the scores large enough before the division only."""
    one = torch.eye(len(wants))
    return 7 * one[wants], one, facts


def design_head__keys_want(wants, facts):
    """Lets the keys say what is wanted, and the queries who one is."""
    one = torch.eye(len(wants))
    return 50 * one, one[wants], facts


def design_head__columns(wants, facts):
    """Takes the columns of W_q for the words' queries."""
    one = torch.eye(len(wants))
    return 100 * one[wants].T, one, facts


def design_head__facts_moved(wants, facts):
    """Moves the facts to those who want them, although attention does that."""
    one = torch.eye(len(wants))
    return 100 * one[wants], one, facts[wants]


def design_head__brings_back_words(wants, facts):
    """Brings back which word was read, not its facts."""
    one = torch.eye(len(wants))
    return 100 * one[wants], one, one


def design_head__avoids(wants, facts):
    """Gives the wanted word the lowest score."""
    one = torch.eye(len(wants))
    return -100 * one[wants], one, facts


def design_head__reads_itself(wants, facts):
    """Lets each word read itself."""
    one = torch.eye(len(wants))
    return 100 * one, one, facts


def design_head__numbers_as_queries(wants, facts):
    """Takes the number of a word for its query and its key."""
    numbers = torch.arange(len(wants))[:, None].float()
    return 100 * wants[:, None].float(), numbers, facts


def design_head__scaled_facts(wants, facts):
    """Makes the values large instead of the queries."""
    one = torch.eye(len(wants))
    return one[wants], one, 100 * facts
