import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.thrift2.client.ThriftConnection;
import org.apache.hadoop.hbase.util.Bytes;

/** Exercises HBase's own Java client through its Thrift connection, over each transport. Arguments: HOST PORT. */
public class Program {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");
  private static final byte[] N = Bytes.toBytes("n");

  private final Configuration conf;
  private final TableName table;
  private final String namespace;

  private Program(Configuration conf, String kind) {
    this.conf = conf;
    this.namespace = "java_" + kind;
    this.table = TableName.valueOf(namespace, "diary");
  }

  public static void main(String[] args) throws Exception {
    String host = args[0];
    String port = args[1];
    for (boolean framed : new boolean[] {false, true}) {
      for (boolean compact : new boolean[] {false, true}) {
        Configuration conf = configuration(host, port);
        conf.setBoolean("hbase.regionserver.thrift.framed", framed);
        conf.setBoolean("hbase.regionserver.thrift.compact", compact);
        new Program(conf, (framed ? "framed" : "buffered") + (compact ? "_compact" : "_binary")).run();
      }
    }
    Configuration http = configuration("http://" + host, port);
    http.set("hbase.thrift.client.builder.class", ThriftConnection.HTTPThriftClientBuilder.class.getName());
    new Program(http, "http").run();
  }

  private static Configuration configuration(String host, String port) {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.client.connection.impl", ThriftConnection.class.getName());
    conf.set("hbase.thrift.server.name", host);
    conf.set("hbase.thrift.server.port", port);
    return conf;
  }

  private void run() throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin()) {
      makeTables(admin);
      try (Table diary = connection.getTable(table)) {
        putsAndGets(diary);
        deletes(diary);
        counters(diary);
        conditions(diary);
        scans(diary);
      }
      changeTables(admin, connection);
      dropTables(admin);
    }
    System.out.println("java " + namespace + ": ok");
  }

  private void makeTables(Admin admin) throws IOException {
    if (admin.tableExists(table)) {
      if (admin.isTableEnabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
    if (Arrays.asList(admin.listNamespaces()).contains(namespace)) {
      admin.deleteNamespace(namespace);
    }
    admin.createNamespace(NamespaceDescriptor.create(namespace).addConfiguration("owner", "me").build());
    same("me", admin.getNamespaceDescriptor(namespace).getConfigurationValue("owner"));
    ColumnFamilyDescriptor family = ColumnFamilyDescriptorBuilder.newBuilder(F).setMaxVersions(3).build();
    TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(table).setColumnFamily(family)
      .setDurability(Durability.ASYNC_WAL).setValue("note", "made by a test").build();
    admin.createTable(descriptor, new byte[][] {Bytes.toBytes("m")});
    same(true, admin.isTableAvailable(table));
    TableDescriptor read = admin.getDescriptor(table);
    same(3, read.getColumnFamily(F).getMaxVersions());
    same(Durability.ASYNC_WAL, read.getDurability());
    // With framed transport, this client reads attribute keys together with the surrounding bytes.
    if (!conf.getBoolean("hbase.regionserver.thrift.framed", false)) {
      same("made by a test", read.getValue("note"));
    }
    same(1, admin.listTableDescriptors(Pattern.compile(namespace + ":di.*")).size());
    same(table, admin.listTableNamesByNamespace(namespace)[0]);
    try {
      admin.createTable(descriptor);
      throw new AssertionError("made a table twice");
    } catch (IOException e) {
      same(true, e.getCause().toString().contains("TableExistsException"));
    }
  }

  private void putsAndGets(Table diary) throws IOException {
    diary.put(new Put(Bytes.toBytes("a")).addColumn(F, Q, 10, Bytes.toBytes("old")).addColumn(F, Q, 20, Bytes.toBytes("new")));
    List<Put> many = new ArrayList<>();
    for (String row : new String[] {"b", "c", "x", "y", "z"}) {
      many.add(new Put(Bytes.toBytes(row)).addColumn(F, Q, Bytes.toBytes("value of " + row)));
    }
    diary.put(many);
    Result newest = diary.get(new Get(Bytes.toBytes("a")));
    same("new", Bytes.toString(newest.getValue(F, Q)));
    same(20L, newest.rawCells()[0].getTimestamp());
    same(2, diary.get(new Get(Bytes.toBytes("a")).readAllVersions()).size());
    same("old", Bytes.toString(diary.get(new Get(Bytes.toBytes("a")).setTimestamp(10)).getValue(F, Q)));
    Result[] both = diary.get(Arrays.asList(new Get(Bytes.toBytes("z")), new Get(Bytes.toBytes("none"))));
    same("value of z", Bytes.toString(both[0].getValue(F, Q)));
    same(true, both[1].isEmpty());
    same(true, diary.exists(new Get(Bytes.toBytes("b"))));
    same(false, diary.exists(new Get(Bytes.toBytes("none"))));
    same("[true, false]", Arrays.toString(diary.exists(Arrays.asList(new Get(Bytes.toBytes("b")), new Get(Bytes.toBytes("bb"))))));
    long age = System.currentTimeMillis() - both[0].rawCells()[0].getTimestamp();
    same(true, Math.abs(age) < 3_600_000);
  }

  private void deletes(Table diary) throws IOException {
    diary.delete(new Delete(Bytes.toBytes("a")).addColumn(F, Q, 20));
    same("old", Bytes.toString(diary.get(new Get(Bytes.toBytes("a"))).getValue(F, Q)));
    diary.delete(new ArrayList<>(Arrays.asList(new Delete(Bytes.toBytes("y")), new Delete(Bytes.toBytes("x")).addFamily(F))));
    same(false, diary.exists(new Get(Bytes.toBytes("x"))));
    same(false, diary.exists(new Get(Bytes.toBytes("y"))));
  }

  private void counters(Table diary) throws IOException {
    byte[] row = Bytes.toBytes("counter");
    same(5L, diary.incrementColumnValue(row, F, N, 5));
    Result result = diary.increment(new Increment(row).addColumn(F, N, 37).addColumn(F, Q, 1));
    same(42L, Bytes.toLong(result.getValue(F, N)));
    diary.append(new Append(row).addColumn(F, Bytes.toBytes("text"), Bytes.toBytes("ab")));
    result = diary.append(new Append(row).addColumn(F, Bytes.toBytes("text"), Bytes.toBytes("cd")));
    same("abcd", Bytes.toString(result.getValue(F, Bytes.toBytes("text"))));
    diary.delete(new Delete(row));
  }

  private void conditions(Table diary) throws IOException {
    byte[] row = Bytes.toBytes("if");
    Put first = new Put(row).addColumn(F, Q, Bytes.toBytes("1"));
    same(true, diary.checkAndMutate(row, F).qualifier(Q).ifNotExists().thenPut(first));
    same(false, diary.checkAndMutate(row, F).qualifier(Q).ifNotExists().thenPut(first));
    Put second = new Put(row).addColumn(F, Q, Bytes.toBytes("2"));
    same(true, diary.checkAndMutate(row, F).qualifier(Q).ifEquals(Bytes.toBytes("1")).thenPut(second));
    same(false, diary.checkAndMutate(row, F).qualifier(Q).ifEquals(Bytes.toBytes("1")).thenPut(second));
    // The given value is the left operand: 3 > 2.
    RowMutations both = new RowMutations(row);
    both.add(new Put(row).addColumn(F, N, Bytes.toBytes("also")));
    both.add(new Delete(row).addColumns(F, Q));
    same(true, diary.checkAndMutate(row, F).qualifier(Q).ifMatches(CompareOperator.GREATER, Bytes.toBytes("3")).thenMutate(both));
    Result result = diary.get(new Get(row));
    same("also", Bytes.toString(result.getValue(F, N)));
    same(null, result.getValue(F, Q));
    RowMutations again = new RowMutations(row);
    again.add(new Put(row).addColumn(F, Q, Bytes.toBytes("back")));
    diary.mutateRow(again);
    same(true, diary.checkAndMutate(row, F).qualifier(N).ifEquals(Bytes.toBytes("also")).thenDelete(new Delete(row)));
    same(false, diary.exists(new Get(row)));
  }

  private void scans(Table diary) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      puts.add(new Put(Bytes.toBytes(String.format("scan%02d", i))).addColumn(F, Q, Bytes.toBytes(i)));
    }
    diary.put(puts);
    Scan scan = new Scan().withStartRow(Bytes.toBytes("scan")).withStopRow(Bytes.toBytes("scao")).setCaching(7);
    same("scan00 100 scan99", walk(diary, scan));
    same("scan99 100 scan00", walk(diary, new Scan().withStartRow(Bytes.toBytes("scan99")).withStopRow(Bytes.toBytes("scan")).setReversed(true)));
    same("scan40 10 scan49", walk(diary, new Scan().setFilter(new PrefixFilter(Bytes.toBytes("scan4"))).setCaching(100)));
    same("b 2 c", walk(diary, new Scan().withStartRow(Bytes.toBytes("b")).withStopRow(Bytes.toBytes("d")).addColumn(F, Q)));
  }

  private static String walk(Table diary, Scan scan) throws IOException {
    String first = null;
    String last = null;
    int rows = 0;
    try (ResultScanner scanner = diary.getScanner(scan)) {
      for (Result result : scanner) {
        last = Bytes.toString(result.getRow());
        first = first == null ? last : first;
        rows++;
      }
    }
    return first + " " + rows + " " + last;
  }

  private void changeTables(Admin admin, Connection connection) throws IOException {
    byte[] extra = Bytes.toBytes("extra");
    admin.addColumnFamily(table, ColumnFamilyDescriptorBuilder.of(extra));
    admin.modifyColumnFamily(table, ColumnFamilyDescriptorBuilder.newBuilder(extra).setTimeToLive(3600).build());
    same(3600, admin.getDescriptor(table).getColumnFamily(extra).getTimeToLive());
    admin.deleteColumnFamily(table, extra);
    admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(table)).setReadOnly(true).build());
    try (Table diary = connection.getTable(table)) {
      diary.put(new Put(Bytes.toBytes("no")).addColumn(F, Q, Bytes.toBytes("no")));
      throw new AssertionError("wrote into a read-only table");
    } catch (IOException e) {
      same(true, e.getCause().toString().contains("read only"));
    }
    admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(table)).setReadOnly(false).build());
    admin.disableTable(table);
    same(true, admin.isTableDisabled(table));
    try (Table diary = connection.getTable(table)) {
      diary.get(new Get(Bytes.toBytes("a")));
      throw new AssertionError("read a disabled table");
    } catch (IOException e) {
      same(true, e.getCause().toString().contains("is disabled"));
    }
    admin.truncateTable(table, true);
    same(true, admin.isTableEnabled(table));
    try (Table diary = connection.getTable(table)) {
      same("null 0 null", walk(diary, new Scan()));
    }
  }

  private void dropTables(Admin admin) throws IOException {
    admin.disableTable(table);
    admin.deleteTable(table);
    same(false, admin.tableExists(table));
    admin.modifyNamespace(NamespaceDescriptor.create(namespace).build());
    admin.deleteNamespace(namespace);
  }

  private static void same(Object expected, Object found) {
    if (!Objects.equals(expected, found)) {
      throw new AssertionError("expected " + expected + ", found " + found);
    }
  }
}
