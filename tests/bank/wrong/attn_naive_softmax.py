"""Takes exponentials without subtracting the maximum first, which overflows."""

FAULT = "attn.naive_softmax"
MUTATES = "assignment1/attention.py"
KILLED_BY = {"attention.large-logits"}


def attention_weights(scores):
    exps = scores.exp()
    return exps / exps.sum(dim=-1, keepdim=True)
