//! What HTTP clients may do.

/// Exceptions to the rules that keep web pages out. See [`crate::Config::http`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpSettings {
    /// Origins whose web pages may send calls, such as `https://console.example.com`; `*` stands for all of them. Default: none.
    pub origins: Vec<String>,
    /// Host names that requests to a loopback address may use besides `localhost` and IP addresses. Default: none.
    pub hosts: Vec<String>,
}
