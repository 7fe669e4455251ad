//! `megatherium d` and `megatherium eval`.

use clap::Args;
use megatherium_board::Board;
use megatherium_cli::JobResult;
use megatherium_nnue::Network;
use megatherium_search::Root;

use crate::format::Style;
use crate::human;
use crate::output::Output;

#[derive(Args, Debug)]
pub struct PositionArgs {
    /// Position as FEN, in quotes [default: the initial position]
    fen: Option<String>,
}

/// The position of an argument: a FEN or `startpos`.
pub(super) fn read(fen: Option<&str>) -> Result<Board, String> {
    match fen {
        None | Some("startpos") => Ok(Board::startpos()),
        Some(fen) => Board::from_fen(fen).map_err(|error| format!("{fen:?}: {error}")),
    }
}

pub(super) fn display(args: &PositionArgs) -> JobResult {
    let root = Root::new(read(args.fen.as_deref())?);
    Output::stdout().with(|out| human::write_position(out, &root, Style::default()));
    Ok(())
}

pub(super) fn evaluate(args: &PositionArgs) -> JobResult {
    let board = read(args.fen.as_deref())?;
    Output::stdout().with(|out| human::write_evaluation(out, &board, &Network::embedded()));
    Ok(())
}
