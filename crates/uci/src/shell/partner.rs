//! A hook that follows the conversation and adds options: the leader of a cluster.

/// Follows the shell's conversation and adds its own options.
pub trait Partner: Send {
    /// Writes the `option` lines of its options.
    fn write_options(&self, out: &mut String);

    /// Sees a `setoption` before the shell does. `Some` if it handled the option.
    fn set_option(&mut self, name: &str, value: Option<&str>) -> Option<Result<(), String>>;

    /// Lines for the `tt` command: the entries exchanged with other ranks.
    fn traffic(&self) -> String;

    /// Sees the position of the next search, as a `position` command.
    fn position(&mut self, command: String);

    /// Called for `isready` while no search runs. `readyok` follows when this returns.
    fn ready(&mut self);
}
