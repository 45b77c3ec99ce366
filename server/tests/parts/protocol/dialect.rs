//! Recognising other protocols by their first bytes.

use hjall_server::wire::dialect::{Foreign, Opening, recognise};

#[test]
fn other_protocols_are_recognised() {
    for (first, foreign) in [
        (&b"HBas"[..], Foreign::HBaseRpc),
        (b"\0\0\0\x2d\0\0\0\0\0\0", Foreign::ZooKeeper),
        (b"\0\0\0\x2c\0\0\0\0\0\0", Foreign::ZooKeeper),
        (b"mntr", Foreign::ZooKeeper),
        (b"*3\r\n$3\r\nSET", Foreign::Redis),
        (b"PING\r\n", Foreign::Redis),
        (b"PRI * HTTP/2.0\r\n", Foreign::Http2),
        (b"\0\0\0\x20\x0f\xff\0\0", Foreign::HeaderTransport),
        (b"SSH-2.0-x", Foreign::Ssh),
        (b"\xff\xff\xff\xff", Foreign::Garbage),
        (b"EHLO mail\r\n", Foreign::Garbage),
        (b"\0\0\0\0\0\0\0\0", Foreign::Garbage),
    ] {
        assert_eq!(recognise(first), Opening::Foreign(foreign), "{}", first.escape_ascii());
    }
    assert_eq!(recognise(b"\x16\x03\x01\0\xf0"), Opening::Tls);
    assert_eq!(recognise(b"\x01\0\0\0\x06GSSAPI"), Opening::Sasl);
    assert_eq!(recognise(b"\x01\0\0\0\x05P"), Opening::Sasl);
    assert_eq!(recognise(b"\x01\0\0\0\x05plain"), Opening::Sasl);
    assert_eq!(recognise(b"\x01\x7f\xff\xff\xff"), Opening::Sasl);
    assert_eq!(recognise(b"POST / HTTP/1.1\r\n"), Opening::Http);
    assert_eq!(recognise(b"GET / HTTP/1.1\r\n"), Opening::Http);
}

#[test]
fn eight_bytes_always_suffice() {
    for first in 0..=255_u8 {
        for fifth in [0, 1, 6, 0x0f, 0x80, 0x82, b'a', 0xff] {
            for sixth in [0, 1, 0x21, 0xff, b'T'] {
                let bytes = [first, 0, 0, 20, fifth, sixth, 0, 9];
                assert_ne!(recognise(&bytes), Opening::Unclear, "{bytes:?}");
            }
        }
    }
}
