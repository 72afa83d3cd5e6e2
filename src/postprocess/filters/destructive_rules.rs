//! Commands that destroy more than their author may want.
//!
//! The choice follows what protection tools refuse: GNU coreutils (`--preserve-root`), the directories that safe-rm
//! protects (launchpad.net/safe-rm, its default list), and the commands that every list of deadly ones has in common
//! (github.com/mad4j/suicide-linux). What is everyday work is not here: `rm -rf build`, `DROP TABLE` in a
//! migration, and `git push --force`, which can be undone and mostly concerns one's own branch.

/// What a command has to be applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// A directory of [`DIRECTORIES`], a home, a drive, or everything here.
    Directory,
    /// A disk, see [`DISKS`].
    Disk,
    /// A disk after `of=`.
    OutputDisk,
    /// Anything.
    Word,
}

/// A command: its names, the options of which one must be there (none: no condition), its target.
pub(super) struct Rule {
    /// Its first word, or the start of it before a dot.
    pub names: &'static [&'static str],
    /// Letters count in any group of short options.
    pub options: &'static [&'static str],
    /// What follows.
    pub target: Target,
}

const fn rule(names: &'static [&'static str], options: &'static [&'static str], target: Target) -> Rule {
    Rule { names, options, target }
}

/// The rules, sorted by name; in lower case.
pub(super) const RULES: &[Rule] = &[
    rule(&["blkdiscard", "mkfs", "shred", "wipefs"], &[], Target::Disk),
    rule(&["chgrp", "chmod", "chown"], &["-r", "--recursive"], Target::Directory),
    rule(&["dd"], &[], Target::OutputDisk),
    rule(&["del", "rd", "rmdir"], &["/s"], Target::Directory),
    rule(&["drop database", "drop schema"], &[], Target::Word),
    rule(&["fs.rm", "fs.rmsync", "os.removeall", "rimraf", "shutil.rmtree"], &[], Target::Directory),
    rule(&["remove-item", "ri"], &["-recurse", "-r"], Target::Directory),
    rule(&["rm"], &["-r", "--recursive"], Target::Directory),
];

/// Spellings that are looked for with all white space removed; in lower case.
pub(super) const COMPACT: &[&str] = &[".dropdatabase(", ":(){:|:&};:"];

/// Directories that nothing may be applied to as a whole, sorted; without a last `/` or `/*`.
pub(super) const DIRECTORIES: &[&str] = &[
    "$home",
    "${home}",
    "*",
    ".",
    "..",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/sbin",
    "/usr/share",
    "/var",
    "/var/lib",
    "c:",
    "d:",
    "~",
];

/// Starts of the names of disks below `/dev/`, sorted.
pub(super) const DISKS: &[&str] = &["disk", "hd", "mapper/", "mmcblk", "nvme", "rdisk", "sd", "vd", "xvd"];
