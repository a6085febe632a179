use super::*;

#[test]
fn a_number_that_means_many_processes_is_not_signaled() {
    // What `getpid` gives where it is refused, as `std::process::id` passes it on: to the kernel it means every process.
    assert_eq!(kill(u32::MAX, 0), Err(Errno::ESRCH));
    assert_eq!(kill(0, 0), Err(Errno::ESRCH));
    assert_eq!(kill(std::process::id(), 0), Ok(()));
}
