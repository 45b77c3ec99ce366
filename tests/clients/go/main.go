// A day's work with a client that Apache Thrift generates for Go: HOST PORT, over each transport and protocol.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"

	"client/hbase2"

	"github.com/apache/thrift/lib/go/thrift"
)

func main() {
	address := net.JoinHostPort(os.Args[1], os.Args[2])
	conf := &thrift.TConfiguration{}
	transports := map[string]thrift.TTransportFactory{
		"buffered": thrift.NewTBufferedTransportFactory(8192),
		"framed":   thrift.NewTFramedTransportFactoryConf(thrift.NewTTransportFactory(), conf),
	}
	protocols := map[string]thrift.TProtocolFactory{
		"binary":  thrift.NewTBinaryProtocolFactoryConf(conf),
		"compact": thrift.NewTCompactProtocolFactoryConf(conf),
	}
	for framing, transports := range transports {
		for coding, protocols := range protocols {
			transport, err := transports.GetTransport(thrift.NewTSocketConf(address, conf))
			must(err)
			must(transport.Open())
			client := hbase2.NewTHBaseServiceClientFactory(transport, protocols)
			work(client, "go_"+framing+"_"+coding)
			must(transport.Close())
			fmt.Printf("go %s %s: ok\n", framing, coding)
		}
	}
}

func work(client *hbase2.THBaseServiceClient, table string) {
	ctx := context.Background()
	name := &hbase2.TTableName{Qualifier: []byte(table)}
	there, err := client.TableExists(ctx, name)
	must(err)
	if there {
		_ = client.DisableTable(ctx, name)
		must(client.DeleteTable(ctx, name))
	}
	versions := int32(3)
	family := &hbase2.TColumnFamilyDescriptor{Name: []byte("f"), MaxVersions: &versions}
	descriptor := &hbase2.TTableDescriptor{TableName: name, Columns: []*hbase2.TColumnFamilyDescriptor{family}}
	must(client.CreateTable(ctx, descriptor, [][]byte{[]byte("m")}))
	read, err := client.GetTableDescriptor(ctx, name)
	must(err)
	same("versions", int32(3), *read.Columns[0].MaxVersions)

	bytes := []byte(table)
	must(client.Put(ctx, bytes, put("a", "old", 10)))
	must(client.Put(ctx, bytes, put("a", "new", 20)))
	result, err := client.Get(ctx, bytes, &hbase2.TGet{Row: []byte("a"), MaxVersions: &versions})
	must(err)
	same("cells", 2, len(result.ColumnValues))
	same("newest", "new", string(result.ColumnValues[0].Value))
	same("its time", int64(20), *result.ColumnValues[0].Timestamp)

	var puts []*hbase2.TPut
	for i := 0; i < 100; i++ {
		puts = append(puts, put(fmt.Sprintf("row%03d", i), fmt.Sprint(i), 1))
	}
	must(client.PutMultiple(ctx, bytes, puts))
	reversed := true
	scanner, err := client.OpenScanner(ctx, bytes, &hbase2.TScan{StartRow: []byte("row099"), Reversed: &reversed, MaxVersions: 1})
	must(err)
	rows := 0
	for {
		page, err := client.GetScannerRows(ctx, scanner, 30)
		must(err)
		if len(page) == 0 {
			break
		}
		rows += len(page)
	}
	must(client.CloseScanner(ctx, scanner))
	same("rows", 101, rows)

	amount := int64(41)
	for i := 0; i < 2; i++ {
		column := &hbase2.TColumnIncrement{Family: []byte("f"), Qualifier: []byte("n"), Amount: amount}
		result, err = client.Increment(ctx, bytes, &hbase2.TIncrement{Row: []byte("n"), Columns: []*hbase2.TColumnIncrement{column}})
		must(err)
		amount = 1
	}
	same("counter", byte(42), result.ColumnValues[0].Value[7])

	_, err = client.Get(ctx, []byte(table+"_missing"), &hbase2.TGet{Row: []byte("a")})
	var failure *hbase2.TIOError
	if !errors.As(err, &failure) || *failure.CanRetry {
		log.Fatalf("a missing table gave %v", err)
	}
	must(client.DisableTable(ctx, name))
	must(client.DeleteTable(ctx, name))
}

func put(row, value string, timestamp int64) *hbase2.TPut {
	cell := &hbase2.TColumnValue{Family: []byte("f"), Qualifier: []byte("q"), Value: []byte(value), Timestamp: &timestamp}
	return &hbase2.TPut{Row: []byte(row), ColumnValues: []*hbase2.TColumnValue{cell}}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func same[T comparable](what string, expected, found T) {
	if expected != found {
		log.Fatalf("%s: expected %v, found %v", what, expected, found)
	}
}
