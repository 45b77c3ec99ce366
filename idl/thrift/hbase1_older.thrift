// Methods of the first service in HBase 0.9x and 1.x that HBase 2 no longer has.
//
// Maintained by hand.

include "hbase1.thrift"

namespace java org.apache.hadoop.hbase.thrift.older
namespace cpp apache.hadoop.hbase.thrift.older
namespace py hbase_older
namespace go hbase1older

service HbaseOlder extends hbase1.Hbase {
  // The cells of one family in the row, or in the nearest row before it that has any.
  list<hbase1.TCell> getRowOrBefore(1: binary tableName, 2: binary row, 3: binary family) throws (1: hbase1.IOError io)
}
