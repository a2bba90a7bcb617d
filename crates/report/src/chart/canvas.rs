//! A drawing surface in pixels that ends as SVG: lines, areas, words, and places that can be pointed at.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::{Circle, IntoDrawingArea, PathElement, Polygon, Rectangle, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, ShapeStyle, TextStyle};

use super::palette::{Ink, classed, picture_styles, unshaded};
use crate::ReportError;
use crate::escape::xml;

/// The library draws on whole units; this many make a pixel.
const UNITS: f64 = 4.0;
/// The library divides text sizes by this.
const TEXT_FACTOR: f64 = 1.24;
/// Size of words in pixels.
pub const WORDS: f64 = 11.5;

const FAMILY: &str = "system-ui";
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
pub struct Pen<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
    places: &'a mut String,
}

/// The library's refusal, which a surface in memory does not give.
pub type DrawError = DrawingAreaErrorKind<std::io::Error>;

/// Whether something was drawn.
pub type Drawn = Result<(), DrawError>;

/// Draws a picture of `width` times `height` pixels that shows what `label` says.
pub fn draw(
    (width, height): (u32, u32),
    label: &str,
    paint: impl FnOnce(&mut Pen<'_>) -> Drawn,
) -> Result<Picture, ReportError> {
    let mut drawn = String::new();
    let mut places = String::new();
    let units = (width * UNITS as u32, height * UNITS as u32);
    let result = {
        let area = SVGBackend::with_string(&mut drawn, units).into_drawing_area();
        let mut pen = Pen { area, places: &mut places };
        paint(&mut pen).and_then(|()| pen.area.present())
    };
    result.map_err(|e| ReportError::Picture { picture: label.to_owned(), cause: e.to_string() })?;
    let body =
        drawn.split_once('>').and_then(|(_, rest)| rest.rsplit_once("</svg>")).map_or("", |(body, _)| body);
    let slim = body
        .replace('\n', "")
        .replace(" opacity=\"1\"", "")
        .replace(" stroke=\"none\"", "")
        .replace(" fill=\"none\"", "")
        .replace(&format!(" font-family=\"{FAMILY}\""), "");
    Ok(Picture { width, height, label: label.to_owned(), body: classed(slim) + &places })
}

fn units(at: (f64, f64)) -> (i32, i32) {
    ((at.0 * UNITS).round() as i32, (at.1 * UNITS).round() as i32)
}

fn stroke(ink: Ink, width: f64, dashed: bool) -> ShapeStyle {
    ShapeStyle {
        color: ink.marker(dashed).to_rgba(),
        filled: false,
        stroke_width: (width * UNITS).round().max(1.0) as u32,
    }
}

impl Pen<'_> {
    /// A line through points.
    pub fn line(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) -> Drawn {
        self.path(points, stroke(ink, width, false))
    }

    /// A dashed line through points.
    pub fn dashes(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) -> Drawn {
        self.path(points, stroke(ink, width, true))
    }

    fn path(&mut self, points: &[(f64, f64)], style: ShapeStyle) -> Drawn {
        if points.len() < 2 {
            return Ok(());
        }
        let points: Vec<_> = points.iter().map(|&at| units(at)).collect();
        self.area.draw(&PathElement::new(points, style))
    }

    /// A filled rectangle between two corners.
    pub fn bar(&mut self, from: (f64, f64), to: (f64, f64), ink: Ink) -> Drawn {
        self.area.draw(&Rectangle::new([units(from), units(to)], ink.marker(false).filled()))
    }

    /// A filled area inside a line through points.
    pub fn area(&mut self, points: &[(f64, f64)], ink: Ink) -> Drawn {
        let points: Vec<_> = points.iter().map(|&at| units(at)).collect();
        self.area.draw(&Polygon::new(points, ink.marker(false).filled()))
    }

    /// A filled circle.
    pub fn dot(&mut self, at: (f64, f64), radius: f64, ink: Ink) -> Drawn {
        self.area.draw(&Circle::new(units(at), radius * UNITS, ink.marker(false).filled()))
    }

    /// A circle's outline.
    pub fn ring(&mut self, at: (f64, f64), radius: f64, ink: Ink, width: f64) -> Drawn {
        self.area.draw(&Circle::new(units(at), radius * UNITS, stroke(ink, width, false)))
    }

    /// A text on its base line.
    pub fn words(&mut self, text: &str, at: (f64, f64), anchor: Anchor, ink: Ink, bold: bool) -> Drawn {
        let size = WORDS * UNITS * TEXT_FACTOR;
        let font = if bold {
            (FAMILY, size, plotters::style::FontStyle::Bold).into_font()
        } else {
            (FAMILY, size).into_font()
        };
        let h_pos = match anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let color = ink.marker(false);
        let style = TextStyle::from(font).color(&color).pos(Pos::new(h_pos, VPos::Center));
        // "Center" sets the base line half an x-height below the point.
        let middle = (at.0, at.1 - WORDS * 0.26);
        self.area.draw_text(&crate::escape::plain(text), &style, units(middle))
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
