"""Triton's compiler takes the kernels as they are, for a GPU that need not be there.

The interpreter runs what no GPU would: it asks for no types of loop variables and for no sizes of products. So
where there is no GPU to run them, the kernels are at least compiled for one, in a process that does not interpret.
Tiles as large as the interpreter never sees must also fit into the memory that a program has on a GPU.
"""

import os
import subprocess
import sys

import pytest
import triton_device

pytestmark = pytest.mark.skipif(
    triton_device.DEVICE == "cuda", reason="there is a GPU: the other tests compile them"
)

CODE = """
import sys
import torch
import triton
from triton import language as tl
from triton.backends.nvidia.compiler import CUDABackend
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from lib.fast import gpu, kernels
from lib.fast.gpu import attention, rows

TYPES = {"beta": "*fp64"} | dict.fromkeys(["where", "active"], "*u8")
TYPES |= dict.fromkeys(["offset", "length", "where_of", "prior_of"], "*i64")
TYPES |= dict.fromkeys("log_prior peaks taus tops masses means slopes".split(), "*fp32")
SIZES = "n masks priors n_q n_k d d_v group window span"
SIZES += " where_item where_row where_key prior_item prior_row prior_key"

def compiled(kernel, dtype, few=False, capability=90, num_warps=4, **constants):
    names = kernel.arg_names
    constants = {name: x for name, x in constants.items() if name in names}
    types = TYPES | dict.fromkeys(SIZES.split(), "i32") | dict.fromkeys(constants, "constexpr")
    if kernel is rows.weigh_rows:
        types["log_prior"] = "*fp64"
    if few:  # one query, one key, one mask: sizes and steps of 1 are known to the compiler
        constants |= {name: 1 for name in SIZES.split() if name in names}
        types |= dict.fromkeys(SIZES.split(), "constexpr")
    signature = {name: types.get(name, "*" + dtype) for name in names}
    source, target = ASTSource(kernel, signature, constants), GPUTarget("cuda", capability, 32)
    code = triton.compile(source, target=target, options={"num_warps": num_warps})
    assert "tf32" not in code.asm["ptx"]  # products that drop digits of float32
    print(kernel.__name__, dtype, constants["ALPHA"], code.metadata.shared)

plain, full = dict(MASKED=False, PRIOR=False, WINDOWED=False), dict(MASKED=True, PRIOR=True, WINDOWED=True)
tiles = dict(M=16, N=16, D=16, DV=32, ENOUGH=1e-4)
of_attention = attention.attend_queries, attention.pull_back_queries, attention.pull_back_keys
PRODUCTS = dict(fp32=tl.float32, bf16=tl.bfloat16, fp16=tl.float16)
DTYPES = dict(fp32=torch.float32, bf16=torch.bfloat16)
if sys.argv[1] == "widest":
    # How much memory they share is known before the assembler is called, which takes the most time.
    CUDABackend.make_cubin = lambda *_: b""
    seen = torch.ones((1, 1, 1), dtype=torch.bool)
    sight = kernels.Sight(None, 1, None, seen, None, seen, None)
    dtype, capability = sys.argv[2:]
    q = torch.empty((1, 1024, gpu.WIDEST), dtype=DTYPES[dtype], device="meta")
    tiles = gpu.tiles_of(q, q, sight) | dict(PRODUCTS=PRODUCTS[dtype], ENOUGH=1e-4)
    for kernel in of_attention:
        compiled(kernel, dtype, capability=int(capability), ALPHA=1.5, **full, **tiles)
elif sys.argv[1] == "rows":
    for kernel in (rows.weigh_rows, rows.pull_back_rows):
        compiled(kernel, "fp32", ALPHA=1.3, EXACT=True, BLOCK=128, **full)
        compiled(kernel, "bf16", few=True, ALPHA=1.5, EXACT=False, BLOCK=128, **plain)
        compiled(kernel, "fp16", ALPHA=2.0, EXACT=False, BLOCK=128, **full)
else:
    for kernel in of_attention:
        compiled(kernel, "fp32", ALPHA=2.0, PRODUCTS=tl.float32, **plain, **tiles)
        compiled(kernel, "bf16", ALPHA=1.5, PRODUCTS=tl.bfloat16, **full, **tiles)
        compiled(kernel, "bf16", few=True, ALPHA=2.0, PRODUCTS=tl.bfloat16, **full, **tiles)
        compiled(kernel, "fp16", ALPHA=1.3, PRODUCTS=tl.float16, **plain, **tiles)
"""


def compile_in(folder, *which):
    """Runs the program above, which prints a line for each kernel that it has compiled."""
    program = folder / "program.py"
    program.write_text(CODE)
    environment = {name: x for name, x in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, program, *which], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize(("which", "kernels"), [("rows", 6), ("attention", 12)])
def test_the_kernels_compile_for_a_gpu(which, kernels, tmp_path):
    assert len(compile_in(tmp_path, which)) == kernels


@pytest.mark.parametrize(("dtype", "capability", "most"), [("fp32", 80, 99), ("bf16", 80, 99), ("bf16", 90, 227)])
def test_the_widest_tiles_fit_into_the_memory_of_a_program(dtype, capability, most, tmp_path):
    """227 KiB on compute capability 9.0; 163 on 8.0, whose code also runs on 8.6 and 8.9, where it is 99."""
    shared = [int(line.split()[-1]) for line in compile_in(tmp_path, "widest", dtype, str(capability))]
    assert len(shared) == 3
    assert max(shared) <= most * 1024, shared
