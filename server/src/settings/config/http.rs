//! Settings of Thrift over HTTP.

/// Exceptions to the rules that keep web pages out. See [`crate::Config::http`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpSettings {
    /// Origins whose web pages may send calls, such as `https://console.example.com`. `*` allows all origins.
    /// Default: none.
    pub origins: Vec<String>,
    /// Host names that requests to a loopback address may use in addition to `localhost` and IP addresses. Default:
    /// none.
    pub hosts: Vec<String>,
}
