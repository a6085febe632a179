//! The closed vocabulary of causes: one word for the mechanism.

/// Declares the vocabulary once: the word in JSON, and what it means to a person.
macro_rules! causes {
    ($($variant:ident, $word:literal, $depth:ident, $meaning:literal;)*) => {
        word_enum! {
            /// Why a process died.
            pub enum Cause {
                $(#[doc = $meaning] $variant,)*
            }
        }

        impl Cause {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word in JSON.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// What it means, as half a sentence for people who are no debugger users.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// How far it goes towards what has to be changed.
            pub fn depth(self) -> Depth {
                match self { $(Self::$variant => Depth::$depth,)* }
            }
        }
    };
}

/// How far a cause goes towards what has to be changed.
///
/// A process that runs out of memory may die of a null pointer, and a library of the wrong version too: both findings
/// are right, and the one that says more comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// What has to be changed.
    Origin,
    /// What went wrong in the machine; why it came to that is another question.
    Mechanism,
    /// Neither.
    Nothing,
}

causes! {
    NullPointer, "null-pointer", Mechanism, "code used an object or buffer that was not there (address 0)";
    OutOfBounds, "out-of-bounds", Mechanism, "code read or wrote outside of its buffer";
    UseAfterFree, "use-after-free", Mechanism, "code used memory that had been given back";
    HeapCorruption, "heap-corruption", Mechanism, "the records of the memory allocator were damaged, earlier and perhaps elsewhere";
    StackOverflow, "stack-overflow", Mechanism, "calls were nested so deep that the thread's stack was full";
    CheckFailure, "check-failure", Mechanism, "a library found a condition broken that it relies on, and gave up";
    EscapedException, "escaped-exception", Mechanism, "a C++ exception was not caught";
    DivisionByZero, "division-by-zero", Mechanism, "an integer was divided by zero";
    IllegalInstruction, "illegal-instruction", Mechanism, "the processor does not know an instruction of the program";
    WrongArchitecture, "wrong-architecture", Origin, "the program was built for another kind of processor";
    MappedFileTruncated, "mapped-file-truncated", Origin, "a file became shorter while it was mapped into memory";
    SharedMemoryFull, "shared-memory-full", Origin, "/dev/shm was full";
    DiskFull, "disk-full", Origin, "the disk was full";
    OutOfMemory, "out-of-memory", Origin, "there was not enough memory";
    ThreadLimit, "thread-limit", Origin, "no more threads or processes could be started";
    CpuLimit, "cpu-limit", Origin, "the limit of processor time was reached";
    BadForeignCall, "bad-foreign-call", Origin, "Python called a C function with a wrong pointer or signature";
    InterpreterMisuse, "interpreter-misuse", Origin, "the interpreter was given something that it cannot run";
    Teardown, "teardown", Origin, "it died while it was leaving, after its work was done";
    ForkMisuse, "fork-misuse", Origin, "a forked child used what does not survive a fork";
    ThreadUnsafeLibrary, "thread-unsafe-library", Origin, "two threads used a library that allows only one";
    BadInputValue, "bad-input-value", Origin, "an operation got a value or shape that it cannot take";
    CorruptDataFile, "corrupt-data-file", Origin, "a data file is damaged";
    CorruptModelFile, "corrupt-model-file", Origin, "a model file is damaged";
    LibraryClash, "library-clash", Origin, "two libraries in one process got in each other's way";
    AbiMismatch, "abi-mismatch", Origin, "a native module was built for another version of what it is used with";
    NumpyAbi, "numpy-abi", Origin, "a native module was built for another NumPy";
    ProtobufClash, "protobuf-clash", Origin, "two copies of protocol buffers in one process got in each other's way";
    DuplicateOpenmp, "duplicate-openmp", Origin, "two OpenMP runtimes were loaded into one process";
    GlibcOrTls, "glibc-or-tls", Origin, "the C library or its loader could not give what was asked for";
    AllocatorPreload, "allocator-preload", Origin, "an allocator put in by `LD_PRELOAD` does not go with this program";
    GpuLibraryMismatch, "gpu-library-mismatch", Origin, "GPU libraries of versions that do not go together";
    GpuLibraryMissing, "gpu-library-missing", Origin, "a GPU library is missing";
    GpuDriver, "gpu-driver", Origin, "the GPU driver does not go with this program";
    GpuFault, "gpu-fault", Origin, "the GPU itself reported a fault";
    GpuHandle, "gpu-handle", Origin, "a GPU library could not be started";
    GpuMemory, "gpu-memory", Origin, "there was not enough GPU memory";
    Profiler, "profiler", Origin, "the profiler brought it down";
    KnownBadVersion, "known-bad-version", Origin, "this version is known to die like this";
    Hardware, "hardware", Origin, "the machine itself is faulty";
    InsufficientEvidence, "insufficient-evidence", Nothing, "what is known does not tell why";
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_what_json_has() {
        for cause in Cause::ALL {
            assert_eq!(
                serde_json::to_value(cause).unwrap(),
                serde_json::json!(cause.word())
            );
        }
    }
}
