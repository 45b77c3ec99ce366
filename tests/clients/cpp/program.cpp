// A day's work with a client that Apache Thrift generates for C++: HOST PORT, over each transport and protocol.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TSocket.h>

#include "THBaseService.h"

// The generator leaves the order of what a set holds to its users.
bool apache::hadoop::hbase::thrift2::TServerName::operator<(const TServerName& other) const {
  return hostName < other.hostName;
}

using namespace apache::hadoop::hbase::thrift2;
using namespace apache::thrift::protocol;
using namespace apache::thrift::transport;

namespace {

void check(bool holds, const std::string& what) {
  if (!holds) {
    std::cerr << "not as expected: " << what << std::endl;
    std::exit(1);
  }
}

TPut put(const std::string& row, const std::string& value, int64_t timestamp) {
  TColumnValue cell;
  cell.__set_family("f");
  cell.__set_qualifier("q");
  cell.__set_value(value);
  cell.__set_timestamp(timestamp);
  TPut out;
  out.__set_row(row);
  out.__set_columnValues({cell});
  return out;
}

TGet get(const std::string& row) {
  TGet out;
  out.__set_row(row);
  return out;
}

void work(THBaseServiceClient& client, const std::string& table) {
  TTableName name;
  name.__set_qualifier(table);
  if (client.tableExists(name)) {
    if (client.isTableEnabled(name)) {
      client.disableTable(name);
    }
    client.deleteTable(name);
  }
  TColumnFamilyDescriptor family;
  family.__set_name("f");
  family.__set_maxVersions(3);
  TTableDescriptor descriptor;
  descriptor.__set_tableName(name);
  descriptor.__set_columns({family});
  client.createTable(descriptor, {"m"});

  client.put(table, put("a", "old", 10));
  client.put(table, put("a", "new", 20));
  TGet versions = get("a");
  versions.__set_maxVersions(3);
  TResult result;
  client.get(result, table, versions);
  check(result.columnValues.size() == 2 && result.columnValues[0].value == "new", "the versions of a cell");

  std::vector<TPut> puts;
  for (int i = 100; i < 200; i++) {
    puts.push_back(put("row" + std::to_string(i), std::to_string(i), 1));
  }
  client.putMultiple(table, puts);
  TScan scan;
  scan.__set_startRow("row");
  scan.__set_filterString("PrefixFilter('row15')");
  std::vector<TResult> rows;
  client.getScannerResults(rows, table, scan, 100);
  check(rows.size() == 10 && rows[9].row == "row159", "a filtered scan");

  TColumnIncrement column;
  column.__set_family("f");
  column.__set_qualifier("n");
  TIncrement increment;
  increment.__set_row("n");
  increment.__set_columns({column});
  client.increment(result, table, increment);
  check(result.columnValues[0].value == std::string("\0\0\0\0\0\0\0\1", 8), "a counter");

  TDelete remove;
  remove.__set_row("a");
  client.deleteSingle(table, remove);
  check(!client.exists(table, get("a")), "a deleted row");

  try {
    client.get(result, table + "_missing", get("a"));
    check(false, "a missing table");
  } catch (const TIOError& e) {
    check(!e.canRetry, "whether to ask again for a missing table");
  }
  client.disableTable(name);
  client.deleteTable(name);
}

}  // namespace

int main(int, char** argv) {
  for (bool framed : {false, true}) {
    for (bool compact : {false, true}) {
      auto socket = std::make_shared<TSocket>(argv[1], std::atoi(argv[2]));
      std::shared_ptr<TTransport> transport;
      if (framed) {
        transport = std::make_shared<TFramedTransport>(socket);
      } else {
        transport = std::make_shared<TBufferedTransport>(socket);
      }
      std::shared_ptr<TProtocol> protocol;
      if (compact) {
        protocol = std::make_shared<TCompactProtocol>(transport);
      } else {
        protocol = std::make_shared<TBinaryProtocol>(transport);
      }
      transport->open();
      THBaseServiceClient client(protocol);
      std::string kind = std::string(framed ? "framed" : "buffered") + (compact ? "_compact" : "_binary");
      work(client, "cpp_" + kind);
      transport->close();
      std::cout << "cpp " << kind << ": ok" << std::endl;
    }
  }
}
