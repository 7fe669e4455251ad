//! Somebody beside the shell who hears what it is told: the leader of a cluster.

/// Hears what the shell is told, and has options of its own.
pub trait Partner: Send {
    /// Writes the `option` lines of its own options.
    fn write_options(&self, out: &mut String);

    /// Hears a `setoption`, before the shell acts on it. `Some` if the option is its own.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Option<Result<(), String>>;

    /// Hears which position comes next, as a `position` command.
    fn position(&mut self, command: String);

    /// `isready` came while nothing runs. `readyok` follows when this returns.
    fn ready(&mut self);
}
