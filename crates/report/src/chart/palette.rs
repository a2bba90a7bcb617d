//! Colours by role, each in a light and a dark shade, and the attributes and styles that draw in them.
//!
//! The hues are Okabe and Ito's colour-blind safe set (<https://jfly.uni-koeln.de/color/>), darkened for
//! text on white and lightened for text on black.

use std::fmt::Write as _;

/// A role that a colour plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Words and the marks they name.
    Text,
    /// Axes' words.
    Muted,
    /// Lines that guide the eye.
    Grid,
    /// What lies behind everything.
    Paper,
    /// Time that does not count.
    Shade,
    /// First hue.
    Blue,
    /// Second hue.
    Vermillion,
    /// Third hue.
    Green,
    /// Fourth hue.
    Purple,
    /// An ordered quantity, least.
    Ramp1,
    /// An ordered quantity, little.
    Ramp2,
    /// An ordered quantity, middling.
    Ramp3,
    /// An ordered quantity, much.
    Ramp4,
    /// An ordered quantity, most.
    Ramp5,
}

struct Shade {
    ink: Ink,
    name: &'static str,
    light: &'static str,
    dark: &'static str,
}

const fn shade(ink: Ink, name: &'static str, light: &'static str, dark: &'static str) -> Shade {
    Shade { ink, name, light, dark }
}

const SHADES: [Shade; 14] = [
    shade(Ink::Text, "text", "#1b1f24", "#e8eaed"),
    shade(Ink::Muted, "muted", "#5b6470", "#a0a8b3"),
    shade(Ink::Grid, "grid", "#dfe3e8", "#353b44"),
    shade(Ink::Paper, "paper", "#ffffff", "#14171b"),
    shade(Ink::Shade, "shade", "#f1f3f5", "#20252b"),
    shade(Ink::Blue, "blue", "#0072b2", "#56b4e9"),
    shade(Ink::Vermillion, "vermillion", "#c94a00", "#ff8a4c"),
    shade(Ink::Green, "green", "#00795a", "#2fc09a"),
    shade(Ink::Purple, "purple", "#a3478a", "#e59cc6"),
    shade(Ink::Ramp1, "ramp1", "#8db9d8", "#35597a"),
    shade(Ink::Ramp2, "ramp2", "#5a9bc8", "#457fb0"),
    shade(Ink::Ramp3, "ramp3", "#2f7db5", "#5a9fd6"),
    shade(Ink::Ramp4, "ramp4", "#155f97", "#86bfee"),
    shade(Ink::Ramp5, "ramp5", "#083f6d", "#c4e1fa"),
];

impl Ink {
    fn shade(self) -> &'static Shade {
        SHADES.iter().find(|shade| shade.ink == self).unwrap_or(&SHADES[0])
    }

    /// Attributes of what is filled: the light shade, for viewers without styles, and a class that follows the theme.
    pub fn fill(self) -> String {
        let Shade { name, light, .. } = self.shade();
        format!("fill=\"{light}\" class=\"f-{name}\"")
    }

    /// The same of a line.
    pub fn stroke(self, dashed: bool) -> String {
        let Shade { name, light, .. } = self.shade();
        let dash = if dashed { " dash" } else { "" };
        format!("stroke=\"{light}\" class=\"s-{name}{dash}\"")
    }

    /// The `step`-th of `steps` shades of an ordered quantity.
    pub fn ramp(step: usize, steps: usize) -> Ink {
        const RAMP: [Ink; 5] = [Ink::Ramp1, Ink::Ramp2, Ink::Ramp3, Ink::Ramp4, Ink::Ramp5];
        let last = steps.saturating_sub(1);
        let at = (step.min(last) * (RAMP.len() - 1) + last / 2).checked_div(last).unwrap_or(RAMP.len() / 2);
        RAMP[at.min(RAMP.len() - 1)]
    }
}

/// A drawing without the light shades, for where the classes have styles.
pub fn unshaded(svg: &str) -> String {
    SHADES.iter().fold(svg.to_owned(), |svg, shade| {
        let (light, name) = (shade.light, shade.name);
        svg.replace(&format!("fill=\"{light}\" class=\"f-{name}"), &format!("class=\"f-{name}"))
            .replace(&format!("stroke=\"{light}\" class=\"s-{name}"), &format!("class=\"s-{name}"))
    })
}

const DASH_STYLE: &str = ".dash{stroke-dasharray:14 14}";

/// Styles for a page: variables for both themes, which print leaves light, and the classes of pictures.
pub fn page_styles() -> String {
    let mut light = String::new();
    let mut dark = String::new();
    let mut classes = String::new();
    for Shade { name, light: in_light, dark: in_dark, .. } in &SHADES {
        let _ = write!(light, "--{name}:{in_light};");
        let _ = write!(dark, "--{name}:{in_dark};");
        let _ = write!(classes, ".f-{name}{{fill:var(--{name})}}.s-{name}{{stroke:var(--{name})}}");
    }
    format!(
        ":root{{color-scheme:light dark;{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n\
         {classes}{DASH_STYLE}\n.chart text{{stroke:var(--paper)}}.chart text.f-paper{{stroke:none}}\n"
    )
}

/// Styles for a picture that stands alone.
pub fn picture_styles() -> String {
    let classes = |dark: bool| {
        SHADES.iter().fold(String::new(), |mut out, shade| {
            let (name, colour) = (shade.name, if dark { shade.dark } else { shade.light });
            let _ = write!(out, ".f-{name}{{fill:{colour}}}.s-{name}{{stroke:{colour}}}");
            out
        })
    };
    let (paper_light, paper_dark) = (SHADES[3].light, SHADES[3].dark);
    format!(
        "{}text{{stroke:{paper_light}}}{DASH_STYLE}@media screen and (prefers-color-scheme:dark){{{}text{{stroke:{paper_dark}}}}}",
        classes(false),
        classes(true)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance and contrast as WCAG 2.2 defines them.
    fn luminance(hex: &str) -> f64 {
        let channel = |at: usize| {
            let v = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_hue_that_colours_words_can_be_read_on_paper_and_in_the_dark() {
        let paper = Ink::Paper.shade();
        for ink in [Ink::Text, Ink::Muted, Ink::Blue, Ink::Vermillion, Ink::Green, Ink::Purple] {
            let shade = ink.shade();
            assert!(contrast(shade.light, paper.light) >= 4.5, "{} in light", shade.name);
            assert!(contrast(shade.dark, paper.dark) >= 4.5, "{} in dark", shade.name);
        }
    }

    #[test]
    fn an_ink_is_a_class_behind_its_light_shade() {
        let svg = format!("<line {}/><rect {}/>", Ink::Blue.stroke(true), Ink::Grid.fill());
        assert_eq!(
            svg,
            "<line stroke=\"#0072b2\" class=\"s-blue dash\"/><rect fill=\"#dfe3e8\" class=\"f-grid\"/>"
        );
        assert_eq!(unshaded(&svg), "<line class=\"s-blue dash\"/><rect class=\"f-grid\"/>");
    }

    #[test]
    fn a_ramp_goes_from_least_to_most() {
        assert_eq!(Ink::ramp(0, 3), Ink::Ramp1);
        assert_eq!(Ink::ramp(2, 3), Ink::Ramp5);
        assert_eq!(Ink::ramp(0, 1), Ink::Ramp3);
    }
}
