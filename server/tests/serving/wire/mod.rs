//! A whole server on port 0 with a handler of the test's own: what reaches it, and what comes back, for every way a client may speak.

mod client;
mod dialects;
mod foreign;
mod handler;
mod http;
mod http_damage;
mod idle;
mod inline;
mod malformed;
mod overload;
mod reconfigure;
mod services;
mod shutdown;
mod slow;
mod tls;
mod web_pages;
