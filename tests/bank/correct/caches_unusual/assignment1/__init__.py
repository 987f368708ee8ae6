import warnings

import torch

print("assignment1: loading, torch", torch.__version__)
torch.set_num_threads(2)  # my laptop gets hot otherwise
warnings.warn("assignment1 was only tried on a CPU", stacklevel=2)
