//! A whole server on port 0 with services of the test: which calls reach them, and what clients receive, in every
//! dialect.

pub mod client;
mod dialects;
mod echo;
mod foreign;
pub mod http;
mod http_damage;
mod idle;
mod inline;
mod malformed;
mod moving;
mod overload;
mod reconfigure;
mod services;
mod shutdown;
mod slow;
mod tls;
mod web_pages;
