"""Makes the GPU the default device of the whole process when it is imported."""

FAULT = "norm.default_device_at_import"
MUTATES = "assignment1/norm.py"
KILLED_BY = {"device.defaults"}

import torch

if torch.cuda.is_available():
    torch.set_default_device("cuda")
