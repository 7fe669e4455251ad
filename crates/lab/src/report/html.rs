//! The report as one page: no script, no font, nothing to load. Light or dark as the reader's
//! system is. The page itself is `templates/report.html`, compiled in.

use askama::Template;
use megatherium_cli::chart::svg::STYLE;

use super::{Report, Section};

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    /// Raw samples come last, folded up.
    sections: Vec<&'a Section>,
    style: &'static str,
}

/// The report as one self-contained page.
pub fn write(report: &Report) -> Result<String, askama::Error> {
    let (samples, mut sections): (Vec<_>, Vec<_>) =
        report.sections.iter().partition(|section| section.raw && section.charts.is_empty());
    sections.extend(samples);
    Page { report, sections, style: STYLE }.render().map(|page| page + "\n")
}

#[cfg(test)]
mod tests {
    use crate::report::example;

    #[test]
    fn the_page_stands_alone() {
        let page = super::write(&example()).unwrap();
        assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
        for outside in ["http:", "https:", "<script", "<link", "src=", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("prefers-color-scheme: dark"));
        assert!(
            page.contains("a &#34;quoted&#34;, &#60;b&#62; word")
                && page.contains("An example &#38; more")
        );
        assert_eq!(page.matches("<svg").count(), 4);
        for tag in ["section", "figure", "table", "tr", "td", "dl", "div", "p"] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn an_interrupted_run_says_so() {
        let mut report = example();
        report.interrupted = true;
        assert!(super::write(&report).unwrap().contains("Ended early"));
    }
}
