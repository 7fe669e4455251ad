//! The page of a report in a real browser, and its keys.

mod schema;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub use schema::conforms;

/// Looks at the page from inside, after it was laid out, and leaves what it saw as text.
const LOOK: &str = r#"
<script>
window.faults = [];
window.addEventListener("error", event => window.faults.push(String(event.message)));
window.addEventListener("load", () => {
  const number = text => parseFloat(getComputedStyle(text).fontSize);
  const charts = [...document.querySelectorAll("figure svg")].map(svg => {
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const inside = part => {
      const place = part.getBoundingClientRect();
      return place.left >= box.left - 1 && place.right <= box.right + 1;
    };
    const texts = [...svg.querySelectorAll("text")];
    const marks = svg.querySelectorAll(".point circle, .point .bar, rect.heat");
    return {
      title: svg.getAttribute("aria-label"),
      width: box.width,
      marks: [...marks].filter(mark => mark.getBoundingClientRect().width > 0).length,
      smallest: Math.min(...texts.map(text => number(text) * scale)),
      outside: texts.filter(text => !inside(text)).map(text => text.textContent),
    };
  });
  const seen = {
    width: window.innerWidth,
    needed: document.documentElement.scrollWidth,
    paper: getComputedStyle(document.body).backgroundColor,
    tiles: document.querySelectorAll(".tile").length,
    faults: window.faults,
    charts,
  };
  parent.postMessage(JSON.stringify(seen), "*");
});
</script>
"#;

/// The window of a browser has a least width, a frame has none: the page is shown in a frame, and
/// tells this page around it what it saw.
const AROUND: &str = r#"<!doctype html>
<style>:root { color-scheme: light dark; }</style>
<script>
window.addEventListener("message", event => {
  const note = document.createElement("pre");
  note.id = "seen";
  note.textContent = event.data;
  document.body.append(note);
});
</script>
<body><iframe src="looked-at.html" style="border: 0; height: 900px; width: WIDTHpx"></iframe></body>
"#;

/// The browser, or none.
pub fn browser() -> Option<&'static str> {
    let works = |name: &&str| {
        let mut version = Command::new(name);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    };
    ["chromium", "chromium-browser", "google-chrome", "chrome"].into_iter().find(works)
}

/// What the browser makes of `report.html` in `folder`.
pub fn look(browser: &str, folder: &Path, width: u32, dark: bool) -> Value {
    let page = std::fs::read_to_string(folder.join("report.html")).expect("a page");
    let looked_at = page.replace("</head>", &format!("{LOOK}</head>"));
    std::fs::write(folder.join("looked-at.html"), looked_at).expect("a page");
    let around = folder.join("around.html");
    std::fs::write(&around, AROUND.replace("WIDTH", &width.to_string())).expect("a page");
    let out = std::fs::File::create(folder.join("dom.html")).expect("a file");
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
    command.args(["--disable-background-networking", "--disable-component-update"]);
    command.args(["--disable-sync", "--hide-scrollbars", "--dump-dom"]);
    // The messages between the pages come after the end of loading.
    command.arg("--virtual-time-budget=5000");
    // 0 is dark, 1 is light.
    command.arg(format!("--blink-settings=preferredColorScheme={}", u32::from(!dark)));
    command.arg(format!("--window-size={},1000", width + 100));
    command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
    command.arg(format!("file://{}", around.display()));
    let mut child = command.stdout(out).stderr(Stdio::null()).spawn().expect("the browser starts");
    let deadline = Instant::now() + Duration::from_mins(2);
    while child.try_wait().expect("it can be waited for").is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("{browser} does not finish");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let dom = std::fs::read_to_string(folder.join("dom.html")).expect("text");
    let (_, seen) = dom.split_once("<pre id=\"seen\">").expect("the page was looked at");
    let (seen, _) = seen.split_once("</pre>").expect("the note ends");
    let seen = seen.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&seen).expect("valid JSON")
}
