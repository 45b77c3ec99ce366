//! Plots of a comparison as SVG: horizontal bars of medians, with the range over the rounds.

use svg::Document;
use svg::node::element::{Line as Stroke, Rectangle, Text, Title};

use super::report::grouped;
use super::results::{Line, Ratio};

const WIDTH: f64 = 960.0;
/// Where the bars begin; their labels are to the left.
const LEFT: f64 = 400.0;
/// Where the longest bar ends; the figures are to the right.
const RIGHT: f64 = 860.0;
const TOP: f64 = 64.0;
const BAR: f64 = 14.0;
const GAP: f64 = 10.0;
const INK: &str = "#222222";
const FAINT: &str = "#bbbbbb";
/// The colours of the systems, which colour-blind readers can tell apart.
const COLOURS: [&str; 5] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"];

struct Bar {
    colour: &'static str,
    median: f64,
    least: f64,
    most: f64,
    figure: String,
}

/// Bars that belong together.
struct Cluster {
    label: String,
    bars: Vec<Bar>,
    goal: Option<f64>,
}

/// The rates of all systems.
pub fn rates(title: &str, lines: &[&Line]) -> String {
    let mut systems: Vec<&str> = Vec::new();
    for series in lines.iter().flat_map(|line| &line.systems) {
        if !systems.contains(&series.system.as_str()) {
            systems.push(&series.system);
        }
    }
    let colour = |system: &str| COLOURS[systems.iter().position(|one| *one == system).unwrap_or(0) % COLOURS.len()];
    let clusters = lines.iter().map(|line| {
        let bars = line.systems.iter().map(|series| {
            let rates = || series.samples.iter().map(|sample| sample.rate);
            let median = series.median(|sample| sample.rate);
            Bar {
                colour: colour(&series.system),
                median,
                least: rates().fold(f64::INFINITY, f64::min),
                most: rates().fold(0.0, f64::max),
                figure: grouped(median),
            }
        });
        Cluster { label: label(line), bars: bars.collect(), goal: None }
    });
    let legend: Vec<_> = systems.iter().map(|system| (colour(system), (*system).to_owned())).collect();
    let units: Vec<&str> = lines.iter().map(|line| line.subject.unit).collect();
    let unit = units.first().copied().unwrap_or("calls");
    let unit = if units.iter().all(|one| *one == unit) { unit } else { "calls or rows" };
    draw(&format!("{title}: {unit} per second, by number of connections"), &legend, &clusters.collect::<Vec<_>>(), None)
}

/// The rates of hjall as multiples of those of the systems that goals name.
pub fn ratios(lines: &[Line]) -> String {
    let clusters = lines.iter().filter_map(|line| {
        let goal = line.subject.goals.iter().find(|goal| goal.ratio == Ratio::Rate)?;
        let (spread, met) = line.judged(*goal)?;
        let bar = Bar {
            colour: if met { COLOURS[2] } else { COLOURS[1] },
            median: spread.median,
            least: spread.least,
            most: spread.most,
            figure: format!("{:.2} × {}", spread.median, goal.to.unwrap_or_default()),
        };
        Some(Cluster { label: label(line), bars: vec![bar], goal: Some(goal.bound.value()) })
    });
    let legend = [(COLOURS[2], "goal reached".to_owned()), (COLOURS[1], "goal not reached".to_owned())];
    draw(
        "Rate of hjall, compared with its peer; black marks are goals",
        &legend,
        &clusters.collect::<Vec<_>>(),
        Some(1.0),
    )
}

fn label(line: &Line) -> String {
    format!("{}, {}", line.subject.operation, line.subject.connections)
}

/// Draws the clusters from top to bottom, and a vertical line at `mark`.
fn draw(title: &str, legend: &[(&str, String)], clusters: &[Cluster], mark: Option<f64>) -> String {
    let height = TOP + clusters.iter().map(|cluster| cluster.bars.len() as f64 * BAR + GAP).sum::<f64>() + GAP;
    let bars = || clusters.iter().flat_map(|cluster| &cluster.bars);
    let largest = bars().map(|bar| bar.most).chain(clusters.iter().filter_map(|cluster| cluster.goal)).chain(mark);
    let largest = largest.fold(f64::MIN_POSITIVE, f64::max);
    // One ratio that is far above the goals would make all others invisible; its bar is cut.
    let goals = clusters.iter().filter_map(|cluster| cluster.goal).chain(mark).reduce(f64::max);
    let largest = goals.map_or(largest, |goal| largest.min(2.0 * goal));
    let x = |value: f64| LEFT + (RIGHT - LEFT) * value.min(largest) / largest;
    let mut document = Document::new()
        .set("viewBox", (0.0, 0.0, WIDTH, height))
        .set("font-family", "sans-serif")
        .set("font-size", 11)
        .set("role", "img")
        .add(Title::new(title))
        .add(Rectangle::new().set("width", WIDTH).set("height", height).set("fill", "white"))
        .add(text(title, 12.0, 22.0, "start").set("font-size", 15));
    let mut at = 12.0;
    for (colour, name) in legend {
        document = document.add(rectangle(at, 34.0, 12.0, 12.0, colour)).add(text(name, at + 17.0, 44.0, "start"));
        at += 35.0 + 6.2 * name.chars().count() as f64;
    }
    if let Some(mark) = mark {
        document = document.add(line(x(mark), TOP - 6.0, x(mark), height - GAP, FAINT));
    }
    let mut y = TOP;
    for cluster in clusters {
        let tall = cluster.bars.len() as f64 * BAR;
        document = document.add(text(&cluster.label, LEFT - 8.0, y + tall / 2.0 + 4.0, "end"));
        for (n, bar) in cluster.bars.iter().enumerate() {
            let top = y + n as f64 * BAR;
            let middle = top + BAR / 2.0 - 1.0;
            document = document
                .add(rectangle(LEFT, top, x(bar.median) - LEFT, BAR - 2.0, bar.colour))
                .add(line(x(bar.least), middle, x(bar.most), middle, INK))
                .add(text(&bar.figure, x(bar.most.max(bar.median)) + 6.0, middle + 4.0, "start"));
        }
        if let Some(goal) = cluster.goal {
            document = document.add(line(x(goal), y - 3.0, x(goal), y + tall + 1.0, INK).set("stroke-width", 2));
        }
        y += tall + GAP;
    }
    document.to_string()
}

fn rectangle(x: f64, y: f64, width: f64, height: f64, colour: &str) -> Rectangle {
    Rectangle::new().set("x", x).set("y", y).set("width", width).set("height", height).set("fill", colour)
}

fn line(x1: f64, y1: f64, x2: f64, y2: f64, colour: &str) -> Stroke {
    Stroke::new().set("x1", x1).set("y1", y1).set("x2", x2).set("y2", y2).set("stroke", colour)
}

fn text(content: &str, x: f64, y: f64, anchor: &str) -> Text {
    Text::new(content).set("x", x).set("y", y).set("text-anchor", anchor).set("fill", INK)
}
