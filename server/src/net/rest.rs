//! Requests to the REST gateway over HTTP.

use std::sync::Arc;

use bytes::Bytes;
use hyper::body::{Body, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode, Version};

use super::http::{Connection, Received};
use super::http_stream::Unsent;
use super::reply_body::{ReplyBody, Source};
use crate::dispatch::call::Call;
use crate::dispatch::caller::Caller;
use crate::dispatch::job::Reply;
use crate::observe::{Brief, client_error};
use crate::wire::rest::answer::Head;
use crate::wire::rest::{NO_IMPERSONATION, Refusal, Request as RestRequest, RequestHead};

/// Headers of every answer, which keep browsers from showing it as part of a page.
const PROTECTION: [(HeaderName, &str); 3] = [
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_XSS_PROTECTION, "1; mode=block"),
];

impl Connection<'_> {
    /// Answers a request to the REST gateway.
    pub(super) async fn rest(&self, request: Request<Incoming>) -> Response<ReplyBody> {
        let mut response = self.rest_response(request).await;
        for (name, value) in PROTECTION {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        // The headers that select the answer, in addition to the address.
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept, Accept-Encoding, Encoding"));
        response
    }

    async fn rest_response(&self, request: Request<Incoming>) -> Response<ReplyBody> {
        let (head, body) = request.into_parts();
        if head.headers.contains_key("doas") {
            self.discard(&head.headers, body).await;
            return self.refused(&Refusal::text(400, NO_IMPERSONATION));
        }
        if head.version == Version::HTTP_11
            && head.uri.authority().is_none()
            && !head.headers.contains_key(header::HOST)
        {
            self.discard(&head.headers, body).await;
            return self.refused(&Refusal::text(400, "a request of HTTP/1.1 must have the header Host"));
        }
        let caller = match self.caller(&head.headers).await {
            Ok(caller) => caller,
            Err(denied) => {
                self.discard(&head.headers, body).await;
                return self.denied(denied);
            }
        };
        let recognised = self.recognise(&head, !body.is_end_stream());
        let request = match recognised {
            Ok(request) => request,
            Err(refusal) => {
                if refusal.status >= 400 {
                    let (errors, peer) = (&self.dispatcher.runner.client_errors, caller.peer);
                    let (status, method, path) =
                        (refusal.status, head.method.as_str(), Brief(head.uri.path()).to_string());
                    client_error!(errors, RestRefused, debug, %peer, status, method, path, "REST request refused");
                }
                self.discard(&head.headers, body).await;
                return self.refused(&refusal);
            }
        };
        match self.body(&caller, body, request.memory_bytes()).await {
            Ok(Received { message, claim }) => {
                let response = self.run_rest(&request, message, &caller, head.version).await;
                // The body is no longer in use.
                drop(claim);
                response
            }
            Err((status, why)) => self.text(status, why.into_owned()),
        }
    }

    fn recognise(&self, head: &hyper::http::request::Parts, has_body: bool) -> Result<Arc<RestRequest>, Refusal> {
        let local = self.client.local.to_string();
        let text = |name: HeaderName| head.headers.get(name).and_then(|value| value.to_str().ok());
        let host = head.uri.authority().map(|authority| authority.as_str());
        let accept = all(&head.headers, header::ACCEPT);
        let content_encoding = all(&head.headers, header::CONTENT_ENCODING);
        let accept_encoding = all(&head.headers, header::ACCEPT_ENCODING);
        RestRequest::recognise(&RequestHead {
            verb: head.method.as_str(),
            path: head.uri.path(),
            query: head.uri.query(),
            scheme: if self.client.tls { "https" } else { "http" },
            host: host.or_else(|| text(header::HOST)).unwrap_or(&local),
            accept: accept.as_deref(),
            accept_encoding: accept_encoding.as_deref(),
            content_type: text(header::CONTENT_TYPE),
            has_body,
            content_encoding: content_encoding.as_deref(),
            key_encoding: text(HeaderName::from_static("encoding")),
            timestamp: text(HeaderName::from_static("x-timestamp")),
        })
    }

    async fn run_rest(
        &self,
        request: &Arc<RestRequest>,
        body: Bytes,
        caller: &Arc<Caller>,
        version: Version,
    ) -> Response<ReplyBody> {
        let stopping = || self.text(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping.\n");
        let Some(busy) = self.dispatcher.shutdown.begin() else { return stopping() };
        let call = Call::of_rest(request.clone());
        let run = self.dispatcher.run(call, body, Vec::new(), caller, self.exchange.client_left());
        let Some(Reply { bytes, claim }) = run.await else { return stopping() };
        let bytes = Bytes::from(bytes);
        let Some((head, length)) = Head::read(&bytes) else { return stopping() };
        let (bytes, unsent) = (bytes.slice(length..), Unsent { busy, claim });
        let reply = match head.continues {
            None if head.is_open_ended => ReplyBody::open_ended(bytes, unsent, self.exchange.clone()),
            None => ReplyBody::new(bytes, Some(unsent), self.exchange.clone()),
            Some(scanner) => {
                let (dispatcher, caller, request) = (self.dispatcher.clone(), caller.clone(), request.clone());
                let has_end = version >= Version::HTTP_11;
                let source = Arc::new(Source { dispatcher, caller, request, has_end });
                ReplyBody::of_pages(bytes, unsent, self.exchange.clone(), source, scanner)
            }
        };
        let mut response = Response::new(reply);
        set_head(&mut response, &head);
        response
    }

    fn refused(&self, refusal: &Refusal) -> Response<ReplyBody> {
        let text = refusal.page.as_ref().map(|(_, text)| Bytes::from(text.clone())).unwrap_or_default();
        let mut response = self.response(text, None);
        set_head(&mut response, &refusal.head());
        response
    }
}

/// All values of a header, joined by commas. One that is not ASCII becomes `?`, which means nothing in any header.
fn all(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let values: Vec<_> = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect();
    (!values.is_empty()).then(|| values.join(","))
}

fn set_head(response: &mut Response<ReplyBody>, head: &Head) {
    *response.status_mut() = StatusCode::from_u16(head.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in &head.headers {
        // Both are visible ASCII.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(&**name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
}
