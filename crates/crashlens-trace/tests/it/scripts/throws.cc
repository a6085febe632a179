// Ways in which C++ exceptions end a program, by the first argument.
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>

static int* volatile nowhere = nullptr;
static void crash() { *nowhere = 1; }

struct Other {
  virtual ~Other() = default;
  long number = 7;
};
struct Own : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct Many : Other, Own {
  Many() : Own("one of many bases") {}
};
struct Virtual : virtual std::exception {
  std::string text = "a text that is too long to be kept in place";
  const char* what() const noexcept override { return text.c_str(); }
};
struct CrashesAtItsEnd {
  ~CrashesAtItsEnd() { crash(); }
};

__attribute__((noinline)) void fail(int index) {
  throw std::out_of_range("no element " + std::to_string(index));
}
__attribute__((noinline)) void promise() noexcept {
  fail(3);
  std::abort();
}

static std::exception_ptr kept() {
  try {
    fail(5);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

static void thrown(const std::string& how) {
  if (how == "class") fail(7);
  if (how == "string") throw std::string("words that do not fit in place");
  if (how == "short string") throw std::string("short");
  if (how == "number") throw 42;
  if (how == "text") throw "plain text";
  if (how == "many bases") throw Many();
  if (how == "virtual base") throw Virtual();
  if (how == "system error") throw std::system_error(ENOENT, std::generic_category(), "open");
  if (how == "file system") (void)std::filesystem::file_size("/nonexistent/file");
  if (how == "no memory") std::vector<char>().reserve(std::size_t(1) << 46);
  if (how == "secret") throw Own("no answer from https://joe:hunter2hunter2@db.example/x");
}

int main(int, char** arguments) {
  const std::string how = arguments[1];
  thrown(how);
  if (how == "promise") promise();
  if (how == "second") {
    try {
      fail(1);
    } catch (std::exception&) {
      throw std::runtime_error("the second");
    }
  }
  if (how == "again") {
    try {
      fail(1);
    } catch (std::exception&) {
      throw;
    }
  }
  if (how == "kept") std::rethrow_exception(kept());
  if (how == "kept and caught") {
    try {
      std::rethrow_exception(kept());
    } catch (...) {
      crash();
    }
  }
  if (how == "handler") {
    try {
      fail(9);
    } catch (std::exception&) {
      std::abort();
    }
  }
  if (how == "on the way") {
    try {
      CrashesAtItsEnd crashes;
      fail(2);
    } catch (...) {
    }
  }
  if (how == "thread") std::thread([] { fail(11); }).join();
  if (how == "end of a thread") {
    std::thread([] {
      try {
        pthread_exit(nullptr);
      } catch (...) {
        std::abort();
      }
    }).join();
  }
  if (how == "long ago") {
    for (int round = 0; round < 5; ++round) {
      try {
        fail(round);
      } catch (std::exception&) {
      }
    }
    crash();
  }
  if (how == "never") crash();
  if (how == "bad free") std::free(arguments[0]);
}
