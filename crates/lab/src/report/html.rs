//! The report as one page: no script, no font, nothing to load. Light or dark as the reader's system is.

use std::fmt::Write as _;

use super::svg::{draw, escape, title};
use super::terminal::shown;
use super::{Cell, Report, Section};

const STYLE: &str = "
:root { color-scheme: light dark; --paper: #faf8f4; --card: #ffffff; --ink: #22201c; --soft: #6b665d; --rule: #e4dfd5; --accent: #2c6e54;
  --s1: #2c6e54; --s2: #c0562b; --s3: #3a6ea8; --s4: #87569e; --s5: #a17c12; --s6: #57606b; --heat: #b4491f; --on-heat: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --paper: #171613; --card: #201e1a; --ink: #ece7dd; --soft: #a39c8f; --rule: #37332c; --accent: #7fc7a4;
  --s1: #7fc7a4; --s2: #f0976b; --s3: #86b4e6; --s4: #c7a0dc; --s5: #dcb855; --s6: #aab4c0; --heat: #f0976b; --on-heat: #201e1a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 64px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 8px; letter-spacing: -0.01em; }
h2 { font-size: 21px; margin: 56px 0 6px; padding-top: 20px; border-top: 1px solid var(--rule); }
p { margin: 6px 0 14px; max-width: 76ch; }
.eyebrow { color: var(--accent); font-weight: 600; letter-spacing: 0.08em; text-transform: uppercase; font-size: 12px; margin: 0 0 6px; }
code { font: 14px/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; background: var(--card); border: 1px solid var(--rule);
  border-radius: 6px; padding: 3px 8px; overflow-wrap: anywhere; }
.warning { border-left: 3px solid var(--s2); padding-left: 12px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(190px, 1fr)); gap: 14px; margin: 26px 0; }
.tile { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 16px 18px; }
.tile b { display: block; font-size: 25px; line-height: 1.2; font-variant-numeric: tabular-nums; color: var(--accent); }
.tile span { color: var(--soft); font-size: 14px; }
dl { display: flex; flex-wrap: wrap; gap: 4px 28px; margin: 18px 0 0; font-size: 14px; }
dl div { display: flex; gap: 8px; } dt { color: var(--soft); } dd { margin: 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); gap: 18px; margin: 18px 0; align-items: start; }
figure { margin: 0; background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 16px 16px 8px; }
figcaption { font-weight: 600; margin-bottom: 4px; }
svg { display: block; width: 100%; height: auto; font-family: inherit; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 14.5px; font-variant-numeric: tabular-nums; min-width: 50%; }
th { text-align: right; color: var(--soft); font-weight: 500; } td { text-align: right; white-space: nowrap; } th.words, td.words { text-align: left; }
th, td { padding: 6px 16px 6px 0; border-bottom: 1px solid var(--rule); } .interval { color: var(--soft); }
.note { color: var(--soft); font-size: 14px; margin: 8px 0; } details { margin: 14px 0; } summary { cursor: pointer; color: var(--accent); }
.grid { stroke: var(--rule); fill: none; } .faint { stroke-dasharray: 2 4; } .tick { fill: var(--soft); font-size: 13px; } .axis { fill: var(--soft); font-size: 14px; }
.key { fill: var(--ink); font-size: 14px; } .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round; }
.ideal { stroke: var(--soft); stroke-dasharray: 5 5; stroke-width: 1.4; } .band { stroke: none; fill-opacity: 0.13; } .whisker { stroke-width: 1.6; fill: none; }
.heat { fill: var(--heat); stroke: var(--rule); stroke-width: 0.5; } .on-heat { fill: var(--on-heat); font-size: 13px; } .in-heat { fill: var(--ink); font-size: 13px; }
";

/// The page.
pub fn write(report: &Report) -> String {
    let mut page = String::new();
    let title = escape(&report.title);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}"
    );
    for colour in 1..=super::svg::COLOURS {
        let _ = writeln!(
            page,
            ".line.s{colour}, .s{colour} .whisker {{ stroke: var(--s{colour}); }} .band.s{colour}, .s{colour} circle {{ fill: var(--s{colour}); }}"
        );
    }
    let _ = write!(
        page,
        "</style>\n</head>\n<body>\n<main>\n<p class=\"eyebrow\">Megatherium scaling lab</p>\n<h1>{title}</h1>\n<p><code>{}</code></p>\n",
        escape(&report.command)
    );
    if report.interrupted {
        page.push_str("<p class=\"warning\">Ended early: these are the results so far.</p>\n");
    }
    if !report.highlights.is_empty() {
        page.push_str("<div class=\"tiles\">");
        for (value, meaning) in &report.highlights {
            let _ = write!(
                page,
                "<div class=\"tile\"><b>{}</b><span>{}</span></div>",
                escape(value),
                escape(meaning)
            );
        }
        page.push_str("</div>\n");
    }
    page.push_str("<dl>");
    for (name, value) in &report.facts {
        let _ = write!(page, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
    }
    page.push_str("</dl>\n");
    // Raw samples are for those who look for them: last, and folded up.
    let (samples, results): (Vec<_>, Vec<_>) =
        report.sections.iter().partition(|section| section.raw && section.charts.is_empty());
    for section in results.into_iter().chain(samples) {
        write_section(&mut page, section);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn write_section(page: &mut String, section: &Section) {
    let _ = writeln!(page, "<section>\n<h2>{}</h2>", escape(&section.title));
    if !section.text.is_empty() {
        let _ = writeln!(page, "<p>{}</p>", escape(&section.text));
    }
    if !section.charts.is_empty() {
        page.push_str("<div class=\"charts\">\n");
        for chart in &section.charts {
            let _ = write!(
                page,
                "<figure><figcaption>{}</figcaption>\n{}</figure>\n",
                escape(title(chart)),
                draw(chart)
            );
        }
        page.push_str("</div>\n");
    }
    if section.raw {
        let _ = writeln!(page, "<details><summary>{} rows</summary>", section.table.rows.len());
    }
    write_table(page, section);
    if section.raw {
        page.push_str("</details>\n");
    }
    for note in &section.notes {
        let _ = writeln!(page, "<p class=\"note\">{}</p>", escape(note));
    }
    page.push_str("</section>\n");
}

fn write_table(page: &mut String, section: &Section) {
    let table = &section.table;
    if table.rows.is_empty() {
        return;
    }
    let words = |column: usize| table.rows.iter().all(|row| matches!(row.get(column), Some(Cell::Text(_))));
    let class: Vec<&str> =
        (0..table.columns.len()).map(|column| if words(column) { " class=\"words\"" } else { "" }).collect();
    page.push_str("<div class=\"scroll\"><table>\n<thead><tr>");
    for (name, class) in table.columns.iter().zip(&class) {
        let _ = write!(page, "<th{class}>{}</th>", escape(name));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for (cell, class) in row.iter().zip(&class) {
            let text = escape(&shown(cell));
            let text = match (cell, text.split_once(" [")) {
                (Cell::Estimate(..), Some((value, interval))) => {
                    format!("{value} <span class=\"interval\">[{interval}</span>")
                }
                _ => text,
            };
            let _ = write!(page, "<td{class}>{text}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

#[cfg(test)]
mod tests {
    use crate::report::example;

    #[test]
    fn the_page_stands_alone() {
        let page = super::write(&example());
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        for outside in ["http:", "https:", "<script", "<link", "src=", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("prefers-color-scheme: dark"));
        assert!(
            page.contains("a &quot;quoted&quot;, &lt;b&gt; word") && page.contains("An example &amp; more")
        );
        assert_eq!(page.matches("<svg").count(), 3);
        for tag in ["section", "figure", "table", "tr", "td", "dl", "div", "p"] {
            let opened =
                page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn an_interrupted_run_says_so() {
        let mut report = example();
        report.interrupted = true;
        assert!(super::write(&report).contains("Ended early"));
    }
}
