import ctypes
import faulthandler

faulthandler.enable()
ctypes.string_at(0)
