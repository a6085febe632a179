import ctypes
import mmap

code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# pfadd mm0, mm1; ret
code.write(bytes.fromhex("0f0fc19ec3"))
address = ctypes.addressof(ctypes.c_char.from_buffer(code))
ctypes.CFUNCTYPE(None)(address)()
