from torch import nn


class LayerNorm(nn.LayerNorm):
    def forward(self, x):
        w, b = self.weight.float(), self.bias.float()
        return nn.functional.layer_norm(x.float(), self.normalized_shape, w, b, self.eps).type_as(x)


class RMSNorm(nn.RMSNorm):
    def __init__(self, dim, eps=1e-6):
        super().__init__(dim, eps)

    def forward(self, x):
        return super().forward(x.float()).type_as(x)
