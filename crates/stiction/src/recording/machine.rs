//! Machines on which a run has the same bits.
//!
//! Sums of our own have a fixed order. Those of `faer`, and sines and cosines of the system's library, are
//! rounded by what the processor has: vectors of two, four or eight numbers, products fused with sums.

/// The class of this machine: processor, system, and the level of its vector instructions.
pub fn machine() -> String {
    format!("{}-{}{}", std::env::consts::ARCH, std::env::consts::OS, level())
}

#[cfg(target_arch = "x86_64")]
fn level() -> &'static str {
    if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
        "-v4"
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        "-v3"
    } else {
        "-v2"
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn level() -> &'static str {
    ""
}
