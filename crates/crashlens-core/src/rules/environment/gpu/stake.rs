//! Whether anything about the GPU matters here, and what TensorFlow asks for.

use crate::facts::packages::{TENSORFLOW, normal};
use crate::hazard::Severity;
use crate::survey::{CudaBuild, Distribution, Survey};

/// A wheel of NVIDIA's that TensorFlow asks for under `tensorflow[and-cuda]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pin {
    /// `nvidia-cudnn-cu12`.
    pub(super) wheel: String,
    /// The oldest that will do: `8.9.4.25`.
    pub(super) version: String,
}

impl Pin {
    /// `cudnn` of `nvidia-cudnn-cu12`.
    pub(super) fn part(&self) -> &str {
        let name = self.wheel.strip_prefix("nvidia-").unwrap_or(&self.wheel);
        name.rsplit_once("-cu").map_or(name, |(part, _)| part)
    }
}

/// TensorFlow with CUDA, and what it was built with.
pub(super) fn cuda_build(survey: &Survey) -> Option<(&Distribution, &CudaBuild)> {
    Some((survey.tensorflow()?, survey.gpu.built_with.known()?))
}

/// Whether a program here can reach a device.
pub(super) fn has_device(survey: &Survey) -> bool {
    let files = survey.gpu.device_files.known();
    files.is_some_and(|files| !files.is_empty())
}

/// How bad a GPU library of the wrong kind is. Where there is a device, whoever uses it meets a failure. Where there is
/// none nothing fails here; but libraries that nothing but TensorFlow wants were installed to be used somewhere. Those
/// that PyTorch brings are nobody's fault on a machine without a GPU.
pub(super) fn stake(survey: &Survey) -> Option<Severity> {
    if has_device(survey) {
        return Some(Severity::WillFail);
    }
    let is_nvidia = |name: &str| normal(name).starts_with("nvidia-");
    let is_own = |name: &str| is_nvidia(name) || TENSORFLOW.contains(&normal(name).as_str());
    let mut distributions = survey.distributions.iter();
    let is_wanted_by_others = distributions.any(|it| {
        let mut requires = it.requires.iter();
        !is_own(&it.name) && requires.any(|line| is_nvidia(line.trim()))
    });
    (!is_wanted_by_others).then_some(Severity::CanCrash)
}

/// What TensorFlow asks for under `and-cuda`; nothing for versions of before 2.14.
pub(super) fn pins(tensorflow: &Distribution) -> Vec<Pin> {
    let lines = tensorflow.requires.iter();
    lines.filter_map(|line| pin(line)).collect()
}

/// `nvidia-cudnn-cu12 (==8.9.4.25) ; extra == 'and-cuda'`, `nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == "and-cuda"`.
fn pin(line: &str) -> Option<Pin> {
    let (requirement, marker) = line.split_once(';')?;
    if !marker.contains("and-cuda") {
        return None;
    }
    let requirement = requirement.trim();
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
    let end = requirement.find(|it| !is_of_name(it))?;
    let (name, bounds) = requirement.split_at(end);
    let bound = bounds.find("==").or_else(|| bounds.find(">="))?;
    let version = bounds.get(bound.checked_add(2)?..)?.trim_start();
    let end = version.find(|it: char| !it.is_ascii_digit() && it != '.');
    let version = version.get(..end.unwrap_or(version.len()))?;
    let wheel = normal(name);
    let is_told = wheel.starts_with("nvidia-") && !version.is_empty();
    is_told.then(|| Pin {
        wheel,
        version: version.trim_end_matches('.').to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_read_in_both_spellings() {
        let told = |line| pin(line).map(|pin| (pin.part().to_owned(), pin.wheel, pin.version));
        let cudnn =
            |version: &str| Some(("cudnn".into(), "nvidia-cudnn-cu12".into(), version.into()));
        assert_eq!(
            told("nvidia-cudnn-cu12 (==8.9.4.25) ; extra == 'and-cuda'"),
            cudnn("8.9.4.25")
        );
        assert_eq!(
            told("nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == \"and-cuda\""),
            cudnn("9.3.0.75")
        );
        assert_eq!(
            told("nvidia-cudnn-cu12==9.1.0.70; platform_system == 'Linux'"),
            None
        );
        assert_eq!(told("nvidia-cudnn-cu12 ; extra == 'and-cuda'"), None);
        assert_eq!(told("numpy (==1.0) ; extra == 'and-cuda'"), None);
        assert_eq!(told("nvidia-x (==); extra == 'and-cuda'"), None);
    }
}
