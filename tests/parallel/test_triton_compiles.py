"""Triton's compiler takes the kernels as they are, for a GPU that need not be there.

The interpreter runs what no GPU would: it asks for no types of loop variables and for no sizes of products. So
where there is no GPU to run them, the kernels are at least compiled for one, in a process that does not interpret.
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
import triton
from triton import language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from lib.kernels.gpu import attention, rows

TYPES = {"beta": "*fp64"} | dict.fromkeys(["where", "active"], "*u8")
TYPES |= dict.fromkeys(["offset", "length", "where_of", "prior_of"], "*i64")
TYPES |= dict.fromkeys("log_prior peaks taus tops masses means slopes".split(), "*fp32")
SIZES = "n masks priors n_q n_k d d_v group window where_item where_row where_key prior_item prior_row prior_key"

def compiled(kernel, dtype, few=False, **constants):
    names = kernel.arg_names
    constants = {name: x for name, x in constants.items() if name in names}
    types = TYPES | dict.fromkeys(SIZES.split(), "i32") | dict.fromkeys(constants, "constexpr")
    if kernel is rows.weigh_rows:
        types["log_prior"] = "*fp64"
    if few:  # as a call with a single mask and prior is: sizes of 1 are known to the compiler
        constants |= {name: 1 for name in ("masks", "priors", "group") if name in names}
        types |= dict.fromkeys(("masks", "priors", "group"), "constexpr")
    signature = {name: types.get(name, "*" + dtype) for name in names}
    code = triton.compile(ASTSource(kernel, signature, constants), target=GPUTarget("cuda", 90, 32))
    assert code.asm["cubin"]
    print(kernel.__name__, dtype, "shared memory", code.metadata.shared)

plain, full = dict(MASKED=False, PRIOR=False, WINDOWED=False), dict(MASKED=True, PRIOR=True, WINDOWED=True)
tiles = dict(M=16, N=16, D=16, DV=32, ENOUGH=1e-4)
if sys.argv[1] == "rows":
    for kernel in (rows.weigh_rows, rows.pull_back_rows):
        compiled(kernel, "fp32", ALPHA=1.3, EXACT=True, BLOCK=128, **full)
        compiled(kernel, "bf16", few=True, ALPHA=1.5, EXACT=False, BLOCK=128, **plain)
        compiled(kernel, "fp16", ALPHA=2.0, EXACT=False, BLOCK=128, **full)
else:
    for kernel in (attention.attend_queries, attention.pull_back_queries, attention.pull_back_keys):
        compiled(kernel, "fp32", few=True, ALPHA=2.0, PRODUCTS=tl.float32, **plain, **tiles)
        compiled(kernel, "bf16", ALPHA=1.5, PRODUCTS=tl.bfloat16, **full, **tiles)
        compiled(kernel, "fp16", ALPHA=1.3, PRODUCTS=tl.float16, **plain, **tiles)
"""


@pytest.mark.parametrize("which", ["rows", "attention"])
def test_the_kernels_compile_for_a_gpu(which, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(CODE)
    environment = {name: x for name, x in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, program, which], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(done.stdout.splitlines()) == {"rows": 6, "attention": 9}[which]
