"""Converts Thrift values to JSON data and back.

Bytes become strings of the characters U+0000 to U+00FF. A struct becomes an object of the fields that are set. A map
with binary keys becomes an object, any other map a list of pairs.
"""
import json

from thriftpy2.thrift import TType


def to_json(ttype, spec, value):
    """Converts a Thrift value to JSON data."""
    if value is None:
        return None
    if ttype == TType.STRUCT:
        return {f[1]: to_json(f[0], f[2] if len(f) > 3 else None, getattr(value, f[1]))
                for f in value.thrift_spec.values() if getattr(value, f[1]) is not None}
    if ttype in (TType.LIST, TType.SET):
        et, es = element(spec)
        items = [to_json(et, es, v) for v in value]
        return sorted(items, key=json.dumps) if ttype == TType.SET else items
    if ttype == TType.MAP:
        (kt, ks), (vt, vs) = element(spec[0]), element(spec[1])
        pairs = [(to_json(kt, ks, k), to_json(vt, vs, v)) for k, v in value.items()]
        pairs.sort(key=lambda p: json.dumps(p[0]))
        return dict(pairs) if all(isinstance(k, str) for k, _ in pairs) else [list(p) for p in pairs]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, str):
        return value.encode("utf-8").decode("latin-1")
    return value


def element(spec):
    """Type and type details of the elements of a container."""
    return (spec[0], spec[1]) if isinstance(spec, tuple) else (spec, None)


def from_json(ttype, spec, value):
    """Converts JSON data to a Thrift value of the type in the IDL."""
    if value is None:
        return None
    if ttype == TType.STRUCT:
        out = spec()
        by_name = {f[1]: f for f in spec.thrift_spec.values()}
        for name in by_name:
            setattr(out, name, None)  # do not send the defaults of the IDL
        for name, v in value.items():
            f = by_name[name]
            setattr(out, name, from_json(f[0], f[2] if len(f) > 3 else None, v))
        return out
    if ttype in (TType.LIST, TType.SET):
        et, es = element(spec)
        return [from_json(et, es, v) for v in value]
    if ttype == TType.MAP:
        (kt, ks), (vt, vs) = element(spec[0]), element(spec[1])
        pairs = value.items() if isinstance(value, dict) else value
        return {from_json(kt, ks, k): from_json(vt, vs, v) for k, v in pairs}
    if ttype == TType.BINARY or (ttype == TType.STRING and isinstance(value, str)):
        raw = value.encode("latin-1")
        if ttype == TType.BINARY:
            return raw
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return raw
    return value


def clean(value):
    """Converts the arguments of a scenario to JSON data; bytes become strings."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, dict):
        return {clean(k): clean(v) for k, v in value.items()}
    return [clean(v) for v in value] if isinstance(value, (list, tuple)) else value
