//! Settings of Thrift over HTTP.

use std::time::Duration;

/// Settings of Thrift over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// Origins whose web pages may send calls, such as `https://console.example.com`. `*` allows all origins.
    /// Default: none.
    pub origins: Vec<String>,
    /// Host names that requests to a loopback address may use in addition to `localhost` and IP addresses. Default:
    /// none.
    pub hosts: Vec<String>,
    /// How long the head of a request may take, from its first byte. Default 10 s.
    pub header_timeout: Duration,
    /// How long a connection stays open between requests, if [`super::Limits::idle_max`] is not shorter. Default 120 s.
    pub keep_alive: Duration,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            hosts: Vec::new(),
            header_timeout: Duration::from_secs(10),
            keep_alive: Duration::from_secs(120),
        }
    }
}
