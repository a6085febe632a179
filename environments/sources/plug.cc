// Writes a message and reads it again, with the protocol buffers it is linked to.
#include <string>

#include "plug.pb.h"

extern "C" int plug_roundtrip() {
  crashlens::plug::Whole whole;
  whole.set_name("whole");
  whole.add_numbers(7);
  (*whole.mutable_counts())["a"] = 1;
  whole.mutable_part()->set_name("part");
  std::string bytes;
  whole.SerializeToString(&bytes);
  crashlens::plug::Whole again;
  return again.ParseFromString(bytes) ? again.numbers(0) : -1;
}
