//! The memory of the machine, or of the control group that this process is in.

use std::fs;
use std::path::Path;

/// The memory of the machine, or the smallest limit of the control groups of this process, in bytes. `None` if it is
/// unknown.
pub(crate) fn memory_bytes() -> Option<u64> {
    memory_below(Path::new("/"))
}

/// As [`memory_bytes`], with another root of the file system.
fn memory_below(root: &Path) -> Option<u64> {
    let machine = fs::read_to_string(root.join("proc/meminfo")).ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
    });
    // A line is NUMBER:CONTROLLERS:PATH; version 2 has no controllers. In a container, the path may be that of the
    // host, which is not visible; the root of the hierarchy is the group of the container then.
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let paths = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        Some((fields.next()?, fields.next()?))
    });
    let mut limits = Vec::new();
    for (controllers, path) in paths.chain([("", "/"), ("memory", "/")]) {
        let (hierarchy, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            names if names.split(',').any(|name| name == "memory") => ("sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            // "max", and a group without this controller, mean no limit.
            let text = fs::read_to_string(root.join(hierarchy).join(group).join(file)).unwrap_or_default();
            limits.extend(text.trim().parse::<u64>());
        }
    }
    machine.into_iter().chain(limits).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file system with these files, and the memory that is found in it.
    fn found(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        memory_below(root.path())
    }

    const MACHINE: (&str, &str) = ("proc/meminfo", "MemTotal:        1000 kB\nMemFree: 10 kB\n");

    #[test]
    fn without_a_limit_it_is_that_of_the_machine() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[MACHINE]), Some(1_024_000));
        let unlimited = [MACHINE, ("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/memory.max", "max\n")];
        assert_eq!(found(&unlimited), Some(1_024_000));
        let v1 = [MACHINE, ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")];
        assert_eq!(found(&v1), Some(1_024_000));
    }

    #[test]
    fn the_smallest_limit_of_a_group_and_of_those_around_it_counts() {
        let service = ("proc/self/cgroup", "0::/system.slice/hjall.service\n");
        let (own, around) =
            ("sys/fs/cgroup/system.slice/hjall.service/memory.max", "sys/fs/cgroup/system.slice/memory.max");
        assert_eq!(found(&[MACHINE, service, (own, "4096\n")]), Some(4096));
        assert_eq!(found(&[MACHINE, service, (own, "max\n"), (around, "8192\n")]), Some(8192));
        assert_eq!(found(&[MACHINE, ("sys/fs/cgroup/memory.max", "2048\n")]), Some(2048), "in a container");
    }

    #[test]
    fn groups_of_version_1_count() {
        let groups = ("proc/self/cgroup", "12:cpu,cpuacct:/x\n4:memory:/docker/abc\n0::/\n");
        let own = "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes";
        assert_eq!(found(&[MACHINE, groups, (own, "4096\n")]), Some(4096));
        let container = "sys/fs/cgroup/memory/memory.limit_in_bytes";
        assert_eq!(found(&[MACHINE, groups, (container, "2048\n")]), Some(2048));
    }
}
