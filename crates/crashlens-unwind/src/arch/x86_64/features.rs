//! Processor features by the kernel's names, as `/proc/cpuinfo` lists them.

use iced_x86::{CpuidFeature as Feature, Instruction};

/// The features an instruction needs beyond what every x86-64 processor has.
///
/// Alternatives (`HLE_or_RTM`) and features that the kernel does not list are left out: that they are missing
/// could not be told.
pub(super) fn needed(instruction: &Instruction) -> impl Iterator<Item = &'static str> {
    instruction
        .cpuid_features()
        .iter()
        .filter_map(|feature| vector(*feature).or_else(|| other(*feature)))
}

/// Vector and arithmetic extensions: what programs built for another processor stumble over.
fn vector(feature: Feature) -> Option<&'static str> {
    Some(match feature {
        Feature::SSE3 => "pni",
        Feature::SSSE3 => "ssse3",
        Feature::SSE4_1 => "sse4_1",
        Feature::SSE4_2 => "sse4_2",
        Feature::SSE4A => "sse4a",
        Feature::AVX => "avx",
        Feature::AVX2 => "avx2",
        Feature::FMA => "fma",
        Feature::FMA4 => "fma4",
        Feature::F16C => "f16c",
        Feature::XOP => "xop",
        Feature::TBM => "tbm",
        Feature::AVX_VNNI => "avx_vnni",
        Feature::AVX_IFMA => "avx_ifma",
        Feature::AVX512F => "avx512f",
        Feature::AVX512BW => "avx512bw",
        Feature::AVX512CD => "avx512cd",
        Feature::AVX512DQ => "avx512dq",
        Feature::AVX512ER => "avx512er",
        Feature::AVX512PF => "avx512pf",
        Feature::AVX512VL => "avx512vl",
        Feature::AVX512_IFMA => "avx512ifma",
        Feature::AVX512_VBMI => "avx512vbmi",
        Feature::AVX512_VBMI2 => "avx512_vbmi2",
        Feature::AVX512_VNNI => "avx512_vnni",
        Feature::AVX512_BITALG => "avx512_bitalg",
        Feature::AVX512_VPOPCNTDQ => "avx512_vpopcntdq",
        Feature::AVX512_4VNNIW => "avx512_4vnniw",
        Feature::AVX512_4FMAPS => "avx512_4fmaps",
        Feature::AVX512_BF16 => "avx512_bf16",
        Feature::AVX512_FP16 => "avx512_fp16",
        Feature::AVX512_VP2INTERSECT => "avx512_vp2intersect",
        Feature::AMX_TILE => "amx_tile",
        Feature::AMX_BF16 => "amx_bf16",
        Feature::AMX_INT8 => "amx_int8",
        Feature::AMX_FP16 => "amx_fp16",
        Feature::GFNI => "gfni",
        Feature::VAES => "vaes",
        Feature::VPCLMULQDQ => "vpclmulqdq",
        _ => return None,
    })
}

fn other(feature: Feature) -> Option<&'static str> {
    Some(match feature {
        Feature::ADX => "adx",
        Feature::AES => "aes",
        Feature::BMI1 => "bmi1",
        Feature::BMI2 => "bmi2",
        Feature::LZCNT => "abm",
        Feature::POPCNT => "popcnt",
        Feature::MOVBE => "movbe",
        Feature::PCLMULQDQ => "pclmulqdq",
        Feature::SHA => "sha_ni",
        Feature::CMPXCHG16B => "cx16",
        Feature::RDRAND => "rdrand",
        Feature::RDSEED => "rdseed",
        Feature::RDTSCP => "rdtscp",
        Feature::RDPID => "rdpid",
        Feature::RTM => "rtm",
        Feature::FSGSBASE => "fsgsbase",
        Feature::CLFLUSHOPT => "clflushopt",
        Feature::CLWB => "clwb",
        Feature::CLDEMOTE => "cldemote",
        Feature::CLZERO => "clzero",
        Feature::PREFETCHW => "3dnowprefetch",
        Feature::D3NOW => "3dnow",
        Feature::D3NOWEXT => "3dnowext",
        Feature::MOVDIRI => "movdiri",
        Feature::MOVDIR64B => "movdir64b",
        Feature::ENQCMD => "enqcmd",
        Feature::WAITPKG => "waitpkg",
        Feature::SERIALIZE => "serialize",
        Feature::TSXLDTRK => "tsxldtrk",
        Feature::MONITOR => "monitor",
        Feature::MONITORX => "mwaitx",
        Feature::PKU => "ospke",
        Feature::XSAVE => "xsave",
        Feature::XSAVEC => "xsavec",
        Feature::XSAVEOPT => "xsaveopt",
        Feature::XSAVES => "xsaves",
        _ => return None,
    })
}
