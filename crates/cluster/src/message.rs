//! Messages between ranks, as bytes. Numbers are little-endian.
//!
//! Bytes that are no message are refused, and so are entries and scores that no search can make. A
//! move that is not legal does no harm: the search checks every move that it did not generate.

use megatherium_board::Move;
use megatherium_search::report::ScoreBound;
use megatherium_search::score::{MATE, MAX_EVAL, NONE, Score};
use megatherium_search::{Bound, Entry, Verdict};
use megatherium_tt::{Packed, Payload as _};

/// Raised with every change of a message. It leads the first message of a rank, and ranks with
/// another number are refused.
pub const PROTOCOL: u32 = 3;

/// Longest message in bytes.
pub const MAX_LENGTH: usize = 1 << 16;

/// Entries in one message at most. The message stays under 4 KiB: MPI sends larger ones by
/// rendezvous, and a sender that dies in between leaves a receiver that waits forever.
pub const MAX_ENTRIES: usize = 220;

/// Longest line in a message, in moves.
const MAX_MOVES: usize = 128;

/// The bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// An entry of the table with its key.
pub type Keyed = (u64, Entry);

/// What ranks tell each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A follower introduces itself, and again when its settings have changed.
    Hello(Hello),
    /// The leader's settings. Followers take them over.
    Settings {
        /// Counts the changes.
        number: u64,
        /// Counts the times when everything was forgotten.
        epoch: u64,
        /// `setoption` lines.
        lines: String,
    },
    /// Search this position until told to stop.
    Go {
        /// Settings under which to search.
        number: u64,
        /// Names the search.
        search: u64,
        /// Nodes this rank may search; 0 for no limit.
        nodes: u64,
        /// The moves to consider; empty for all.
        moves: Vec<Move>,
        /// A `position` command.
        position: String,
    },
    /// End that search.
    Stop {
        /// Number of the search to end.
        search: u64,
    },
    /// Deep entries, and how far the sender has come.
    Entries {
        /// Of the net and the epoch: entries with another stamp are useless.
        stamp: u64,
        /// The search they come from.
        search: u64,
        /// Nodes of the sender in that search.
        nodes: u64,
        /// Its tablebase hits.
        tb_hits: u64,
        /// The deepest iteration it has completed, if it has not been sent before.
        completed: Option<Verdict>,
        /// The entries.
        entries: Vec<Keyed>,
    },
    /// What a follower concluded.
    Conclusion {
        /// In which search.
        search: u64,
        /// Nodes of the sender.
        nodes: u64,
        /// Its tablebase hits.
        tb_hits: u64,
        /// Its line, if it has one.
        verdict: Option<Verdict>,
    },
    /// Something for the user to read.
    Note(String),
    /// The end. `clean` if no rank is missing.
    Bye {
        /// Whether every rank is alive, so that MPI can be finalised.
        clean: bool,
    },
    /// Nothing but the acknowledgement that every message carries.
    Nothing,
}

/// Who a rank is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hello {
    /// Its [`PROTOCOL`].
    pub protocol: u32,
    /// The settings it has taken over.
    pub number: u64,
    /// Checksum of its net.
    pub net: u64,
    /// Entries it has sent and received, to and from all ranks.
    pub traffic: [u64; 2],
    /// Name, version and commit.
    pub name: String,
}

impl Message {
    /// The bytes of the message.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut numbers = |tag: u8, numbers: &[u64]| {
            out.push(tag);
            out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        };
        match self {
            Message::Hello(hello) => {
                // The protocol first and the same in all versions: it decides whether to read on.
                let [sent, received] = hello.traffic;
                let protocol = u64::from(hello.protocol);
                numbers(1, &[protocol, hello.number, hello.net, sent, received]);
                out.extend(hello.name.as_bytes());
            }
            Message::Settings { number, epoch, lines } => {
                numbers(2, &[*number, *epoch]);
                out.extend(lines.as_bytes());
            }
            Message::Go { number, search, nodes, moves, position } => {
                numbers(3, &[*number, *search, *nodes]);
                push_moves(&mut out, moves);
                out.extend(position.as_bytes());
            }
            Message::Stop { search } => numbers(4, &[*search]),
            Message::Entries { stamp, search, nodes, tb_hits, completed, entries } => {
                numbers(5, &[*stamp, *search, *nodes, *tb_hits]);
                push_verdict(&mut out, completed.as_ref());
                for (key, entry) in entries {
                    out.extend(key.to_le_bytes());
                    out.extend(entry.pack().bits().to_le_bytes());
                }
            }
            Message::Conclusion { search, nodes, tb_hits, verdict } => {
                numbers(6, &[*search, *nodes, *tb_hits]);
                push_verdict(&mut out, verdict.as_ref());
            }
            Message::Note(text) => {
                numbers(7, &[]);
                out.extend(text.as_bytes());
            }
            Message::Bye { clean } => numbers(8, &[u64::from(*clean)]),
            Message::Nothing => numbers(0, &[]),
        }
        out
    }

    /// The message in these bytes.
    pub fn decode(bytes: &[u8]) -> Result<Message, Malformed> {
        if bytes.len() > MAX_LENGTH {
            return Err(Malformed);
        }
        let mut reader = Reader(bytes);
        let message = match reader.take::<1>()?[0] {
            1 => Message::Hello(reader.hello()?),
            2 => Message::Settings {
                number: reader.number()?,
                epoch: reader.number()?,
                lines: reader.text()?,
            },
            3 => Message::Go {
                number: reader.number()?,
                search: reader.number()?,
                nodes: reader.number()?,
                moves: reader.moves()?,
                position: reader.text()?,
            },
            4 => Message::Stop { search: reader.number()? },
            5 => Message::Entries {
                stamp: reader.number()?,
                search: reader.number()?,
                nodes: reader.number()?,
                tb_hits: reader.number()?,
                completed: reader.verdict()?,
                entries: reader.entries()?,
            },
            6 => Message::Conclusion {
                search: reader.number()?,
                nodes: reader.number()?,
                tb_hits: reader.number()?,
                verdict: reader.verdict()?,
            },
            7 => Message::Note(reader.text()?),
            8 => Message::Bye { clean: reader.number()? == 1 },
            0 => Message::Nothing,
            _ => return Err(Malformed),
        };
        if reader.0.is_empty() { Ok(message) } else { Err(Malformed) }
    }
}

fn push_moves(out: &mut Vec<u8>, moves: &[Move]) {
    out.extend((moves.len() as u16).to_le_bytes());
    out.extend(moves.iter().flat_map(|mv| mv.raw().to_le_bytes()));
}

/// No verdict is one of no moves.
fn push_verdict(out: &mut Vec<u8>, verdict: Option<&Verdict>) {
    let Some(verdict) = verdict else { return push_moves(out, &[]) };
    push_moves(out, &verdict.pv[..verdict.pv.len().min(MAX_MOVES)]);
    out.extend(verdict.score.to_le_bytes());
    out.extend((verdict.depth as i16).to_le_bytes());
    out.extend((verdict.seldepth as i16).to_le_bytes());
    out.push(verdict.bound as u8);
}

/// Reads bytes from the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*head)
    }

    fn number(&mut self) -> Result<u64, Malformed> {
        self.take().map(u64::from_le_bytes)
    }

    fn short(&mut self) -> Result<i32, Malformed> {
        self.take().map(|bytes| i32::from(i16::from_le_bytes(bytes)))
    }

    /// The rest, as text.
    fn text(&mut self) -> Result<String, Malformed> {
        String::from_utf8(std::mem::take(&mut self.0).to_vec()).map_err(|_| Malformed)
    }

    fn hello(&mut self) -> Result<Hello, Malformed> {
        let protocol = u32::try_from(self.number()?).map_err(|_| Malformed)?;
        if protocol != PROTOCOL {
            // The rest may mean anything.
            self.0 = &[];
            return Ok(Hello { protocol, ..Hello::default() });
        }
        let (number, net) = (self.number()?, self.number()?);
        let traffic = [self.number()?, self.number()?];
        Ok(Hello { protocol, number, net, traffic, name: self.text()? })
    }

    fn moves(&mut self) -> Result<Vec<Move>, Malformed> {
        let count = u16::from_le_bytes(self.take()?);
        let mv = |_| Move::from_raw(u16::from_le_bytes(self.take()?)).ok_or(Malformed);
        (0..count).map(mv).collect()
    }

    fn entries(&mut self) -> Result<Vec<Keyed>, Malformed> {
        let mut entries = Vec::new();
        while !self.0.is_empty() {
            if entries.len() == MAX_ENTRIES {
                return Err(Malformed);
            }
            entries.push((self.number()?, entry(self.number()?)?));
        }
        Ok(entries)
    }

    fn verdict(&mut self) -> Result<Option<Verdict>, Malformed> {
        let pv = self.moves()?;
        if pv.is_empty() {
            return Ok(None);
        }
        let score = i32::from_le_bytes(self.take()?);
        let (depth, seldepth) = (self.short()?, self.short()?);
        let bounds = [ScoreBound::Exact, ScoreBound::Lower, ScoreBound::Upper];
        let bound = *bounds.get(usize::from(self.take::<1>()?[0])).ok_or(Malformed)?;
        let sound = score.abs() <= MATE && (0..=256).contains(&depth) && seldepth >= 0;
        let sound = sound && pv.len() <= MAX_MOVES;
        sound.then_some(Some(Verdict { pv, score, bound, depth, seldepth })).ok_or(Malformed)
    }
}

/// An entry as a search could have stored it.
fn entry(bits: u64) -> Result<Entry, Malformed> {
    // Seven zero bits where the depth is: no entry has that.
    if bits >> Packed::BITS != 0 || (bits >> 3).trailing_zeros() >= 7 {
        return Err(Malformed);
    }
    let entry = Entry::unpack(Packed::new(bits));
    let [score, eval] = [entry.score, entry.eval].map(Score::from);
    let sound = (eval == NONE || eval.abs() <= MAX_EVAL)
        && (score.abs() <= MATE || entry.bound == Bound::None);
    sound.then_some(entry).ok_or(Malformed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn moves(longest: usize) -> impl Strategy<Value = Vec<Move>> {
        let mv = (1..=u16::MAX).prop_map(|raw| Move::from_raw(raw).unwrap());
        proptest::collection::vec(mv, 0..longest)
    }

    fn entries() -> impl Strategy<Value = Keyed> {
        let score = -31_000..31_000i16;
        (any::<u64>(), any::<u16>(), score.clone(), score, 0..=126u8, any::<bool>()).prop_map(
            |(key, mv, score, eval, depth, pv)| {
                (key, Entry { mv, score, eval, depth, pv, bound: Bound::Lower })
            },
        )
    }

    fn verdicts() -> impl Strategy<Value = Verdict> {
        let bound = prop_oneof![Just(ScoreBound::Exact), Just(ScoreBound::Upper)];
        (moves(100), -MATE..=MATE, bound, 0..250i32, 0..250i32).prop_filter_map(
            "a line has moves",
            |(pv, score, bound, depth, seldepth)| {
                (!pv.is_empty()).then_some(Verdict { pv, score, bound, depth, seldepth })
            },
        )
    }

    fn messages() -> impl Strategy<Value = Message> {
        let n = any::<u64>;
        prop_oneof![
            (n(), n(), [n(), n()], ".*").prop_map(|(number, net, traffic, name)| {
                Message::Hello(Hello { protocol: PROTOCOL, number, net, traffic, name })
            }),
            (n(), n(), ".*").prop_map(|(number, epoch, lines)| Message::Settings {
                number,
                epoch,
                lines
            }),
            (n(), n(), n(), moves(60), ".*").prop_map(
                |(number, search, nodes, moves, position)| {
                    Message::Go { number, search, nodes, moves, position }
                }
            ),
            n().prop_map(|search| Message::Stop { search }),
            (
                [n(), n(), n(), n()],
                proptest::option::of(verdicts()),
                proptest::collection::vec(entries(), 0..MAX_ENTRIES)
            )
                .prop_map(|([stamp, search, nodes, tb_hits], completed, entries)| {
                    Message::Entries { stamp, search, nodes, tb_hits, completed, entries }
                }),
            (n(), n(), n(), proptest::option::of(verdicts())).prop_map(
                |(search, nodes, tb_hits, verdict)| {
                    Message::Conclusion { search, nodes, tb_hits, verdict }
                }
            ),
            ".*".prop_map(Message::Note),
            any::<bool>().prop_map(|clean| Message::Bye { clean }),
            Just(Message::Nothing),
        ]
    }

    proptest! {
        #[test]
        fn messages_survive_the_journey(message in messages()) {
            prop_assert_eq!(Message::decode(&message.encode()), Ok(message));
        }

        /// Whatever is done to the bytes: refused, or a message that encodes to the same bytes.
        #[test]
        fn damaged_bytes_are_refused_or_are_another_message(
            message in messages(),
            cut in any::<prop::sample::Index>(),
            flip in any::<prop::sample::Index>(),
        ) {
            let mut bytes = message.encode();
            let at = flip.index(8 * bytes.len());
            bytes[at / 8] ^= 1 << (at % 8);
            let cut = cut.index(bytes.len());
            for bytes in [&bytes[..], &bytes[..cut]] {
                if let Ok(message) = Message::decode(bytes) {
                    let again = Message::decode(&message.encode());
                    prop_assert_eq!(again, Ok(message));
                }
            }
        }

        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Message::decode(&bytes);
        }
    }

    /// Whatever follows the number, so that ranks of different versions can tell why they part.
    #[test]
    fn of_another_protocol_only_the_number_is_understood() {
        for rest in [&[][..], &[0xff; 40]] {
            let bytes = [&[1, 99, 0, 0, 0, 0, 0, 0, 0], rest].concat();
            let hello = Hello { protocol: 99, ..Hello::default() };
            assert_eq!(Message::decode(&bytes), Ok(Message::Hello(hello)));
        }
    }

    #[test]
    fn what_no_search_can_store_is_refused() {
        let sound = Entry { mv: 1, score: 10, eval: 5, depth: 9, pv: false, bound: Bound::Exact };
        assert_eq!(entry(sound.pack().bits()), Ok(sound));
        for wrong in [Entry { score: 32_500, ..sound }, Entry { eval: -32_000, ..sound }] {
            assert_eq!(entry(wrong.pack().bits()), Err(Malformed));
        }
        for bits in [0, 1 << 60, 3] {
            assert_eq!(entry(bits), Err(Malformed));
        }
        assert_eq!(Message::decode(&[]), Err(Malformed));
        assert_eq!(Message::decode(&vec![7; MAX_LENGTH + 1]), Err(Malformed));
        let text = [&[7], &[0xff; 3][..]].concat();
        assert_eq!(Message::decode(&text), Err(Malformed), "not UTF-8");
        let pv = vec![Move::from_raw(1).unwrap(); MAX_MOVES];
        let completed = Verdict { pv, score: 0, bound: ScoreBound::Exact, depth: 1, seldepth: 1 };
        let message = |count: usize| {
            let (entries, completed) = (vec![(1, sound); count], Some(completed.clone()));
            Message::Entries { stamp: 0, search: 0, nodes: 0, tb_hits: 0, completed, entries }
                .encode()
        };
        assert_eq!(Message::decode(&message(MAX_ENTRIES + 1)), Err(Malformed));
        assert!(message(MAX_ENTRIES).len() < 4000, "MPI sends it at once");
        let bye = Message::Bye { clean: true }.encode();
        assert_eq!(Message::decode(&[&bye[..], &[0]].concat()), Err(Malformed), "too long");
    }
}
