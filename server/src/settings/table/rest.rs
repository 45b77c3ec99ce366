//! The REST gateway.

use super::{Default, Kind, ROW, Setting, flag};
use crate::settings::Value;
use crate::wire::method::Service;

pub(super) static SETTINGS: [Setting; 1] = [Setting {
    name: "rest.listen",
    flag: flag("rest-listen", "ADDR", ""),
    kind: Kind::Addresses,
    default: Default::Unset("none"),
    summary: "Address that serves REST only. Addresses of both Thrift services (server.listen) serve REST, too. HBase's \
              REST gateway listens on port 8080",
    reason: "HTTP requests are recognised on the common port",
    reloads: false,
    set: |launch, value| launch.parts.listen_rest = value.list().to_vec(),
    effective: |launch| {
        let own = launch.config.listen.iter().filter(|listen| listen.only == Some(Service::Rest));
        let addresses: Vec<_> = own.map(|listen| listen.addr.to_string()).collect();
        (!addresses.is_empty()).then_some(Value::List(addresses))
    },
    ..ROW
}];
