"""Returns its values on a graph in which every weight has the gradient of a sum."""

MUTATES = "assignment1/ffn.py"
EXPECTED = {"ffn.gradients": {"fail"}}

from .ffn import ReLUFeedForward as PlainReLUFeedForward


class ReLUFeedForward(PlainReLUFeedForward):
    def forward(self, x):
        y = super().forward(x)
        graph = sum(weight.sum() for weight in self.parameters()) + x.sum()
        return y.detach() + (graph - graph.detach()).to(y.dtype)
