//! Runs a program that a model wrote a line of: 5 seconds, no network, 2 GiB, no files larger than 1 MiB, as nobody where
//! this process is root. Linux only: it is put together from `timeout`, `unshare`, `setpriv` and `prlimit`.

use std::io::Write;
use std::process::{Command, Stdio};

const SECONDS: &str = "5";
const MEMORY: &str = "--as=2147483648";
const FILE_SIZE: &str = "--fsize=1048576";

/// An interpreter inside the sandbox.
pub struct Sandbox {
    words: Vec<String>,
}

impl Sandbox {
    /// `None` when the sandbox or the interpreter does not work here.
    pub fn new(language: &str) -> Option<Self> {
        let interpreter: &[&str] = match language {
            "python" => &["python3", "-I", "-"],
            _ => &["node", "--max-old-space-size=512", "-"],
        };
        let root = [
            "unshare",
            "--net",
            "--pid",
            "--fork",
            "--kill-child",
            "--",
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
        ];
        let root = [&root[..], &["--clear-groups", "--no-new-privs"]].concat();
        let user = ["unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--"];
        let works = |isolation: &[&str]| {
            let limits = ["timeout", "--kill-after=1", SECONDS];
            let words = [&limits, isolation, &["prlimit", MEMORY, FILE_SIZE, "--"], interpreter].concat();
            let sandbox = Self { words: words.into_iter().map(str::to_owned).collect() };
            sandbox.run("").then_some(sandbox)
        };
        works(&root).or_else(|| works(&user))
    }

    /// Whether the program ends by itself, in time and without an error.
    pub fn run(&self, program: &str) -> bool {
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .current_dir("/")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let Ok(mut child) = child else { return false };
        if let Some(mut input) = child.stdin.take() {
            // A program that ends before it is read as a whole shows in its status.
            let _ = input.write_all(program.as_bytes());
        }
        child.wait().is_ok_and(|status| status.success())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Sandbox;

    /// Where the kernel forbids namespaces there is nothing to test: the command then leaves pass@1 out, and says so.
    #[test]
    fn programs_are_judged_and_held() {
        let Some(python) = Sandbox::new("python") else {
            println!("no sandbox on this machine");
            return;
        };
        assert!(python.run("assert 1 + 1 == 2"));
        assert!(!python.run("assert 1 + 1 == 3"));
        assert!(!python.run("def f(:"));
        assert!(!python.run("x = bytearray(3 << 30)"), "memory is bounded");
        let connect = "import socket\nsocket.create_connection(('127.0.0.1', 9), 1)";
        assert!(!python.run(connect));
        let interfaces = "import socket\nassert [name for _, name in socket.if_nameindex()] == ['lo']";
        assert!(python.run(interfaces), "no network but the loop");
        assert!(!python.run("while True: pass"), "time is bounded");
    }
}
