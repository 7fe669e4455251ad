//! The losses of a run: a growing CSV file and a chart.

use megatherium_cli::chart::svg::{Frame, picture};
use megatherium_cli::chart::{Chart, Curves, Estimate, Series};
use megatherium_train::trainer::Report;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

const HEADER: &str = "epoch,positions,rate,training_loss,validation_loss,seconds";

/// A line of the CSV file.
#[derive(Clone, Copy, Debug)]
struct Line {
    report: Report,
    /// Since the run began, pauses not counted.
    seconds: f64,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { epoch, positions, rate, training_loss, validation_loss } = self.report;
        let validation = validation_loss.map_or(String::new(), |loss| format!("{loss:.8}"));
        write!(
            f,
            "{epoch},{positions},{rate:e},{training_loss:.8},{validation},{:.1}",
            self.seconds
        )
    }
}

impl Line {
    /// Reads a line; `None` for the header and for a line that was cut.
    fn parse(line: &str) -> Option<Line> {
        let fields: Vec<&str> = line.split(',').collect();
        let [epoch, positions, rate, training, validation, seconds] = fields[..] else {
            return None;
        };
        let report = Report {
            epoch: epoch.parse().ok()?,
            positions: positions.parse().ok()?,
            rate: rate.parse().ok()?,
            training_loss: training.parse().ok()?,
            validation_loss: validation.parse().ok(),
        };
        Some(Line { report, seconds: seconds.parse().ok()? })
    }
}

/// Appends losses to the CSV file and redraws the chart.
pub struct Losses {
    csv: File,
    drawing: PathBuf,
    lines: Vec<Line>,
    /// Lines from before this run was resumed.
    earlier: usize,
    began: Instant,
}

impl Losses {
    /// Continues in a directory after `epochs` epochs, 0 for a new run. What a run had
    /// written about an epoch that it did not finish is dropped.
    pub fn open(directory: &Path, epochs: u32) -> io::Result<Losses> {
        let path = directory.join("losses.csv");
        let old = if epochs > 0 { fs::read_to_string(&path)? } else { String::new() };
        let lines: Vec<Line> = old
            .lines()
            .filter_map(Line::parse)
            .filter(|line| line.report.epoch <= epochs)
            .collect();
        let kept = [HEADER.to_owned()].into_iter().chain(lines.iter().map(Line::to_string));
        fs::write(&path, kept.collect::<Vec<_>>().join("\n") + "\n")?;
        let csv = OpenOptions::new().append(true).open(path)?;
        let earlier = lines.len();
        Ok(Losses {
            csv,
            drawing: directory.join("losses.svg"),
            lines,
            earlier,
            began: Instant::now(),
        })
    }

    /// Appends a report; redraws the curves at the end of an epoch.
    pub fn add(&mut self, report: &Report) -> io::Result<()> {
        let before = self.earlier_line().map_or(0.0, |line| line.seconds);
        let line = Line { report: *report, seconds: before + self.seconds() };
        self.lines.push(line);
        writeln!(self.csv, "{line}")?;
        if report.validation_loss.is_some() {
            fs::write(&self.drawing, self.draw())?;
        }
        Ok(())
    }

    /// The mean training loss of an epoch.
    pub fn epoch_mean(&self, epoch: u32) -> f64 {
        let losses = self.lines.iter().filter(|line| line.report.epoch == epoch);
        let (count, sum) = losses
            .fold((0, 0.0), |(count, sum), line| (count + 1, sum + line.report.training_loss));
        sum / f64::from(count.max(1))
    }

    /// Seconds since this run was started or resumed.
    pub fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Positions learnt from since this run was started or resumed.
    pub fn positions(&self) -> u64 {
        let at = |line: Option<&Line>| line.map_or(0, |line| line.report.positions);
        at(self.lines.last()) - at(self.earlier_line())
    }

    fn earlier_line(&self) -> Option<&Line> {
        self.lines[..self.earlier].last()
    }

    fn draw(&self) -> String {
        let series = |name: &str, loss: fn(&Report) -> Option<f64>| {
            let reports = self.lines.iter().map(|line| &line.report);
            let points = reports.filter_map(|report| {
                Some((report.positions as f64, Estimate::exact(loss(report)?)))
            });
            Series { name: name.to_owned(), points: points.collect(), ideal: false }
        };
        let chart = Chart::Curves(Curves {
            title: "Loss".to_owned(),
            x_label: "positions".to_owned(),
            y_label: "mean squared error of the expected score".to_owned(),
            series: vec![
                series("training", |report| Some(report.training_loss)),
                series("held out", |report| report.validation_loss),
            ],
            ..Curves::default()
        });
        picture(&chart, Frame::PICTURE)
    }
}
