//! Standard input and output that also work when they are non-blocking.
//!
//! A non-blocking stream that is not ready has not ended: [`Patient`] waits until it is ready.

use std::fmt;
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd as Handle;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Handle;

/// A stream whose reads and writes never fail with [`io::ErrorKind::WouldBlock`].
#[derive(Debug)]
pub struct Patient<T>(pub T);

#[derive(Clone, Copy)]
enum Direction {
    In,
    Out,
}

impl<T: Handle> Patient<T> {
    /// Repeats `attempt` until it is done, waiting while the stream is not ready.
    fn until_ready<R>(
        &mut self,
        direction: Direction,
        mut attempt: impl FnMut(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        loop {
            match attempt(&mut self.0) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    wait(&self.0, direction)?;
                }
                result => return result,
            }
        }
    }
}

#[cfg(unix)]
fn wait(stream: &impl Handle, direction: Direction) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};
    let events = match direction {
        Direction::In => PollFlags::IN,
        Direction::Out => PollFlags::OUT,
    };
    match poll(&mut [PollFd::new(stream, events)], None) {
        // A signal: look again.
        Err(rustix::io::Errno::INTR) => Ok(()),
        result => result.map(drop).map_err(io::Error::from),
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the other one can fail")]
fn wait(_: &impl Handle, _: Direction) -> io::Result<()> {
    std::thread::sleep(std::time::Duration::from_millis(1));
    Ok(())
}

impl<T: Read + Handle> Read for Patient<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.until_ready(Direction::In, |stream| stream.read(buffer))
    }
}

impl<T: Write + Handle> Write for Patient<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.until_ready(Direction::Out, |stream| stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.until_ready(Direction::Out, Write::flush)
    }
}

/// Prints one line.
pub fn line(text: impl fmt::Display) {
    print(&format!("{text}\n"));
}

/// Prints text. Ends the program if standard output cannot be written to.
pub fn print(text: &str) {
    let mut out = Patient(io::stdout());
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        gone(&error);
    }
}

/// Ends the program because standard output cannot be written to. A closed pipe is how a reader
/// ends the conversation; any other error is reported on standard error.
pub fn gone(error: &io::Error) -> ! {
    if error.kind() == io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    // Not `eprintln!`, which panics when standard error is closed too.
    let _ = writeln!(io::stderr(), "megatherium: cannot write to standard output: {error}");
    std::process::exit(1);
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::{PipeReader, PipeWriter};
    use std::time::Duration;

    use rustix::io::ioctl_fionbio;

    use super::*;

    fn non_blocking_pipe() -> (Patient<PipeReader>, Patient<PipeWriter>) {
        let (reader, writer) = io::pipe().unwrap();
        ioctl_fionbio(&reader, true).unwrap();
        ioctl_fionbio(&writer, true).unwrap();
        (Patient(reader), Patient(writer))
    }

    #[test]
    fn an_empty_pipe_is_waited_for() {
        let (mut reader, mut writer) = non_blocking_pipe();
        let late = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            writer.write_all(b"isready\n").unwrap();
        });
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "isready\n");
        late.join().unwrap();
    }

    #[test]
    fn a_full_pipe_is_waited_for() {
        let (mut reader, mut writer) = non_blocking_pipe();
        let slow = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).unwrap();
            bytes.len()
        });
        writer.write_all(&vec![b'x'; 1 << 20]).unwrap();
        drop(writer);
        assert_eq!(slow.join().unwrap(), 1 << 20);
    }
}
