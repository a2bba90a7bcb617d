//! Pages and texts made of realistic records.

mod html;
mod markdown;
mod sample;
mod terminal;
