//! Exports the spans of calls to an OpenTelemetry collector: OTLP over HTTP, in batches, on a dedicated thread.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{EnvFilter, Layer};

/// Time limit for sending a batch, which is dropped afterwards. Calls never wait for the export.
const TAKES_MAX: Duration = Duration::from_secs(10);
/// Limit on the collector's response, which is normally a few bytes.
const ANSWER_BYTES_MAX: u64 = 64 << 10;

/// Exports spans, and sends the remaining ones when it is dropped.
pub struct Traces(SdkTracerProvider);

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.0.shutdown() {
            tracing::warn!(%error, "the last spans did not reach the OpenTelemetry collector");
        }
    }
}

/// Exports the spans of calls to this URL. The error is a message for the operator.
pub fn start<S>(endpoint: &str) -> Result<(Traces, impl Layer<S> + Send + Sync + use<S>), String>
where
    S: tracing::Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
{
    let exporter = SpanExporter::builder()
        .with_http()
        .with_endpoint(endpoint)
        .with_timeout(TAKES_MAX)
        .with_http_client(Client::new())
        .build()
        .map_err(|error| format!("{endpoint}: {error}"))?;
    let resource = Resource::builder().with_service_name("hjall").build();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("hjall")).with_location(false);
    Ok((Traces(provider), layer.with_filter(EnvFilter::new("off,hjall_server::call=debug"))))
}

/// A blocking HTTP client. The exporter calls it on its own thread.
#[derive(Debug)]
struct Client(ureq::Agent);

impl Client {
    fn new() -> Self {
        // The exporter interprets status codes itself.

        let config = ureq::Agent::config_builder().timeout_global(Some(TAKES_MAX)).http_status_as_error(false).build();
        Self(config.into())
    }

    fn post(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let (parts, mut body) = self.0.run(Request::from_parts(parts, &body[..]))?.into_parts();
        let answer = body.with_config().limit(ANSWER_BYTES_MAX).read_to_vec()?;
        Ok(Response::from_parts(parts, answer.into()))
    }
}

impl HttpClient for Client {
    fn send_bytes<'life0, 'async_trait>(
        &'life0 self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(std::future::ready(self.post(request)))
    }
}
