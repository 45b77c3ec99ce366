//! The unit in which clients without a login are counted: an address, or a network of IPv6.

use std::net::{IpAddr, Ipv6Addr};

/// The address that stands for all addresses of one client. One client commonly has all addresses of a /64 of IPv6,
/// which its first address stands for. A client may appear as IPv4, or as IPv4 mapped to IPv6: both are the IPv4
/// address. The loopback address stands for itself.
///
/// All limits on what one address may use, and all rotations of addresses, count by this.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
        }
        single => single,
    }
}

/// The text of [`network`], such as `10.0.0.1` or `2001:db8::/64`.
pub fn network_name(address: IpAddr) -> String {
    match network(address) {
        IpAddr::V6(network) if !network.is_loopback() => format!("{network}/64"),
        single => single.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_client_have_one_network() {
        for (address, expected, name) in [
            ("10.0.0.1", "10.0.0.1", "10.0.0.1"),
            ("::ffff:10.0.0.1", "10.0.0.1", "10.0.0.1"),
            ("::1", "::1", "::1"),
            ("2001:db8:0:1::1", "2001:db8:0:1::", "2001:db8:0:1::/64"),
            ("2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::", "2001:db8:0:1::/64"),
            ("2001:db8:0:2::1", "2001:db8:0:2::", "2001:db8:0:2::/64"),
        ] {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!((network(address).to_string(), network_name(address)), (expected.to_owned(), name.to_owned()));
        }
    }
}
