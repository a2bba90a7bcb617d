//! A drawing surface in pixels that ends as SVG: lines, areas, words, and places that can be pointed at.

use super::palette::{Ink, picture_styles, unshaded};
use crate::escape::xml;

/// A picture is written in whole units; this many make a pixel.
const UNITS: f64 = 4.0;
/// Size of words in pixels.
pub const WORDS: f64 = 11.5;

const FAMILIES: &str = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif";

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Picture {
    width: u32,
    height: u32,
    label: String,
    body: String,
}

impl Picture {
    fn open(&self, attributes: &str) -> String {
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" \
             fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\"{attributes}>",
            f64::from(self.width) * UNITS,
            f64::from(self.height) * UNITS,
            xml(&self.label)
        )
    }

    /// What it shows, in words.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// For a page that has [`page_styles`](super::page_styles), which say most of what each shape would say again.
    pub fn inline(&self) -> String {
        const SIZE: &str = " font-size=\"";
        let body = unshaded(&self.body).replace(HIDDEN, "");
        let size = body.split_once(SIZE).and_then(|(_, rest)| rest.split('"').next());
        let size = size.map_or_else(String::new, |size| format!("{SIZE}{size}\""));
        let body = if size.is_empty() { body } else { body.replace(&size, "") };
        format!("{}{body}</svg>", self.open(&size))
    }

    /// As a file of its own, with its own styles and background.
    pub fn standalone(&self) -> String {
        let (width, height) = (self.width, self.height);
        let size = format!(
            " font-family=\"{FAMILIES}\" width=\"{width}\" height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\""
        );
        format!(
            "{}<style>{}text{{stroke-width:12px;paint-order:stroke}}text.f-paper{{stroke:none}}</style>\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\" class=\"f-paper\"/>{}</svg>\n",
            self.open(&size),
            picture_styles(),
            self.body
        )
    }
}

/// How a place that can be pointed at looks where no style says so.
const HIDDEN: &str = " fill-opacity=\"0\" fill=\"#888\"";

/// Where a text stands against its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text starts at the point.
    Start,
    /// The text is centred on the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// What draws on the surface; coordinates are pixels from the upper left corner.
pub struct Pen {
    /// The surface's lower right corner, in units.
    corner: (i32, i32),
    drawn: String,
    /// What can be pointed at lies above all that is drawn, whenever it is put there.
    places: String,
}

/// Draws a picture of `width` times `height` pixels that shows what `label` says.
pub fn draw((width, height): (u32, u32), label: &str, paint: impl FnOnce(&mut Pen)) -> Picture {
    let corner = units((f64::from(width), f64::from(height)));
    let mut pen = Pen { corner, drawn: String::new(), places: String::new() };
    paint(&mut pen);
    Picture { width, height, label: label.to_owned(), body: pen.drawn + &pen.places }
}

fn units(at: (f64, f64)) -> (i32, i32) {
    ((at.0 * UNITS).round() as i32, (at.1 * UNITS).round() as i32)
}

/// The width of a line, which is never too thin to be seen.
fn stroke_width(width: f64) -> u32 {
    (width * UNITS).round().max(1.0) as u32
}

impl Pen {
    /// A line through points.
    pub fn line(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        self.path(points, &ink.stroke(false), width);
    }

    /// A dashed line through points.
    pub fn dashes(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        self.path(points, &ink.stroke(true), width);
    }

    fn path(&mut self, points: &[(f64, f64)], stroke: &str, width: f64) {
        if points.len() < 2 {
            return;
        }
        let (width, points) = (stroke_width(width), self.points(points));
        self.drawn.push_str(&format!("<polyline {stroke} stroke-width=\"{width}\" points=\"{points}\"/>"));
    }

    /// Where a point of a shape lies: one outside the surface is drawn at its edge.
    fn inside(&self, at: (f64, f64)) -> (i32, i32) {
        let (x, y) = units(at);
        (x.clamp(0, self.corner.0), y.clamp(0, self.corner.1))
    }

    fn points(&self, points: &[(f64, f64)]) -> String {
        points.iter().map(|&at| self.inside(at)).map(|(x, y)| format!("{x},{y} ")).collect()
    }

    /// A filled rectangle between two corners.
    pub fn bar(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink) {
        let (from, to) = (self.inside(from), self.inside(to));
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
        self.drawn.push_str(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {}/>",
            ink.fill()
        ));
    }

    /// A filled area inside a line through points.
    pub fn area(&mut self, points: &[(f64, f64)], ink: Ink) {
        let points = self.points(points);
        self.drawn.push_str(&format!("<polygon {} points=\"{points}\"/>", ink.fill()));
    }

    /// A filled circle.
    pub fn dot(&mut self, at: (f64, f64), radius: f64, ink: Ink) {
        // Without a line its width shows nothing; it is said so that a page made again is the same to the byte.
        self.circle(at, radius, &ink.fill(), 1);
    }

    /// A circle's outline.
    pub fn ring(&mut self, at: (f64, f64), radius: f64, ink: Ink, width: f64) {
        self.circle(at, radius, &ink.stroke(false), stroke_width(width));
    }

    fn circle(&mut self, at: (f64, f64), radius: f64, paint: &str, width: u32) {
        let ((x, y), r) = (self.inside(at), ((radius * UNITS) as i32).max(0));
        self.drawn
            .push_str(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" {paint} stroke-width=\"{width}\"/>"));
    }

    /// A text on its base line.
    pub fn words(&mut self, text: &str, at: (f64, f64), anchor: Anchor, ink: Ink, bold: bool) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        // `dy` sets the base line half an x-height below the point.
        let (x, y) = units((at.0, at.1 - WORDS * 0.26));
        let (size, fill) = (WORDS * UNITS, ink.fill());
        let weight = if bold { " font-weight=\"bold\"" } else { "" };
        // This name of the apostrophe keeps a page made again the same to the byte.
        let text = xml(text).replace("&#39;", "&apos;");
        self.drawn.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" dy=\"0.5ex\" text-anchor=\"{anchor}\" font-size=\"{size}\" {fill}{weight}>\
             {text}</text>"
        ));
    }

    /// A round place that shows a text when pointed at.
    pub fn place(&mut self, at: (f64, f64), radius: f64, text: &str) {
        let (x, y) = units(at);
        let r = (radius * UNITS).round();
        self.places.push_str(&format!(
            "<circle class=\"hit\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{HIDDEN}><title>{}</title></circle>",
            xml(text)
        ));
    }

    /// A rectangular place that shows a text when pointed at.
    pub fn region(&mut self, from: (f64, f64), to: (f64, f64), text: &str) {
        let ((x, y), (right, bottom)) = (units(from), units(to));
        self.places.push_str(&format!(
            "<rect class=\"hit\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\"{HIDDEN}><title>{}</title></rect>",
            right - x,
            bottom - y,
            xml(text)
        ));
    }
}

/// Width of a text in pixels, near enough to keep texts apart.
pub fn text_width(text: &str) -> f64 {
    text.chars()
        .map(|c| {
            if "iljt.,:'|1 ".contains(c) {
                0.40
            } else if c.is_uppercase() {
                0.70
            } else {
                0.62
            }
        })
        .sum::<f64>()
        * WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: (f64, f64) = (1.0, 2.0);
    const TO: (f64, f64) = (30.1, 20.0);

    /// What is written of a picture of 100 times 50 pixels.
    fn body(paint: impl FnOnce(&mut Pen)) -> String {
        draw((100, 50), "it's", paint).body
    }

    #[test]
    fn each_shape_is_written_in_units_with_its_light_shade_and_its_class() {
        assert_eq!(
            body(|pen| pen.line(&[FROM, TO], Ink::Blue, 0.1)),
            r##"<polyline stroke="#0072b2" class="s-blue" stroke-width="1" points="4,8 120,80 "/>"##
        );
        assert_eq!(
            body(|pen| pen.dashes(&[FROM, TO, FROM], Ink::Grid, 1.25)),
            r##"<polyline stroke="#dfe3e8" class="s-grid dash" stroke-width="5" points="4,8 120,80 4,8 "/>"##
        );
        assert_eq!(body(|pen| pen.line(&[FROM], Ink::Blue, 1.0)), "");
        let bar = r##"<rect x="4" y="8" width="116" height="72" fill="#f1f3f5" class="f-shade"/>"##;
        assert_eq!(body(|pen| pen.bar(FROM, TO, Ink::Shade)), bar);
        assert_eq!(body(|pen| pen.bar((TO.0, FROM.1), (FROM.0, TO.1), Ink::Shade)), bar);
        assert_eq!(
            body(|pen| pen.area(&[FROM, TO, (1.0, 20.0)], Ink::Grid)),
            r##"<polygon fill="#dfe3e8" class="f-grid" points="4,8 120,80 4,80 "/>"##
        );
        assert_eq!(
            body(|pen| pen.dot(FROM, 3.2, Ink::Green)),
            r##"<circle cx="4" cy="8" r="12" fill="#00795a" class="f-green" stroke-width="1"/>"##
        );
        assert_eq!(
            body(|pen| pen.ring(FROM, 3.0, Ink::Green, 1.5)),
            r##"<circle cx="4" cy="8" r="12" stroke="#00795a" class="s-green" stroke-width="6"/>"##
        );
        assert_eq!(
            body(|pen| pen.words("<a> & 'b'\n\u{1b}", FROM, Anchor::Start, Ink::Text, false)),
            "<text x=\"4\" y=\"-4\" dy=\"0.5ex\" text-anchor=\"start\" font-size=\"46\" fill=\"#1b1f24\" \
             class=\"f-text\">&lt;a&gt; &amp; &apos;b&apos; \u{fffd}</text>"
        );
        assert_eq!(
            body(|pen| pen.words("b", TO, Anchor::End, Ink::Paper, true)),
            "<text x=\"120\" y=\"68\" dy=\"0.5ex\" text-anchor=\"end\" font-size=\"46\" fill=\"#ffffff\" \
             class=\"f-paper\" font-weight=\"bold\">b</text>"
        );
    }

    #[test]
    fn shapes_end_at_the_edge_and_words_where_they_are_put() {
        assert_eq!(
            body(|pen| pen.line(&[(-1.0, f64::INFINITY), (101.0, f64::NAN)], Ink::Blue, 1.0)),
            r##"<polyline stroke="#0072b2" class="s-blue" stroke-width="4" points="0,200 400,0 "/>"##
        );
        let words = body(|pen| pen.words("w", (-1.0, 60.0), Anchor::Middle, Ink::Muted, false));
        assert!(words.starts_with("<text x=\"-4\" y=\"228\" "), "{words}");
    }

    #[test]
    fn places_lie_above_all_that_is_drawn_and_a_page_says_each_shade_and_size_once() {
        let picture = draw((100, 50), "it's", |pen| {
            pen.place(FROM, 2.0, "a 'place'");
            pen.region(FROM, TO, "a region");
            pen.words("words", TO, Anchor::Middle, Ink::Text, false);
        });
        assert_eq!(
            picture.inline(),
            "<svg class=\"chart\" viewBox=\"0 0 400 200\" role=\"img\" aria-label=\"it&#39;s\" fill=\"none\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\" font-size=\"46\">\
             <text x=\"120\" y=\"68\" dy=\"0.5ex\" text-anchor=\"middle\" class=\"f-text\">words</text>\
             <circle class=\"hit\" cx=\"4\" cy=\"8\" r=\"8\"><title>a &#39;place&#39;</title></circle>\
             <rect class=\"hit\" x=\"4\" y=\"8\" width=\"116\" height=\"72\"><title>a region</title></rect></svg>"
        );
    }
}
