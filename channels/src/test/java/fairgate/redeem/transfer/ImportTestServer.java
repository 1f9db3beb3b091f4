package fairgate.redeem.transfer;

import fairgate.TestEngines;
import fairgate.TestIds;
import fairgate.kernel.KeyRing;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.TestDatabase;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.orders.OrderNumberFormats;
import io.vertx.core.Vertx;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Where sellers hand files in, on a fresh database of a real PostgreSQL. The products are `basic`,
/// `standard` and `deluxe`.
final class ImportTestServer implements AutoCloseable {
  static final String HEADER =
      "order_id,product_id,platform,amount,status,paid_at,expires_at,code\n";
  static final String PAID = "2026-01-08T12:30:00+08:00";
  private static final KeyRing KEYS = new KeyRing("k1", Map.of("k1", new byte[32]));

  final CodeVault vault = new CodeVault(KEYS);
  final PostgresDatabase database;
  final ImportService imports;
  final TransferFeature feature;
  private final Vertx vertx = Vertx.vertx();

  private ImportTestServer(PostgresAddress address, Path spool, int batchRows) {
    database = TestDatabase.open(vertx, address, 4);
    feature =
        TransferFeature.wire(
            new TransferFeature.Config(spool, batchRows, 2),
            database,
            vault,
            new ImportService.Rules(
                OrderNumberFormats.of(OrderNumberFormats.DEFAULT),
                Set.of("basic", "standard", "deluxe")::contains),
            new TestIds());
    imports = feature.imports();
  }

  static ImportTestServer open(Path spool) {
    return open(spool, 10);
  }

  static ImportTestServer open(Path spool, int batchRows) {
    return new ImportTestServer(TestEngines.shared().freshDatabase(), spool, batchRows);
  }

  /// A row of the default header.
  static String row(long number, String status) {
    return "TB%013d,basic,taobao,99.50,%s,%s,,".formatted(number, status, PAID);
  }

  /// A file of so many paid orders.
  static String rows(int count) {
    return HEADER
        + IntStream.range(0, count).mapToObj(i -> row(i, "paid")).collect(Collectors.joining("\n"));
  }

  static ImportJob.RowCounts counts(
      long added, long updated, long unchanged, long duplicates, long refused, long blank) {
    return new ImportJob.RowCounts(added, updated, unchanged, duplicates, refused, blank);
  }

  ImportService.ImportOutcome submit(String text, ImportOptions options) {
    return submit(text, StandardCharsets.UTF_8, options);
  }

  ImportService.ImportOutcome submit(String text, Charset charset, ImportOptions options) {
    try {
      return imports.submit(
          new ByteArrayInputStream(text.getBytes(charset)), "orders.csv", options, "tester");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Imports rows under the default header and waits for the end.
  ImportJob take(String... rows) {
    return take(HEADER + String.join("\n", rows), ImportOptions.defaults());
  }

  ImportJob take(String text, ImportOptions options) {
    return finished(submit(text, options));
  }

  ImportJob finished(ImportService.ImportOutcome outcome) {
    ImportJob job =
        switch (outcome) {
          case ImportService.ImportOutcome.Started(ImportJob started) -> started;
          case ImportService.ImportOutcome.Running(ImportJob running) -> running;
          case ImportService.ImportOutcome.Repeated(ImportJob repeated) -> repeated;
          case ImportService.ImportOutcome.Refused refused -> throw new AssertionError(refused);
          case ImportService.ImportOutcome.Busy busy -> throw new AssertionError(busy);
        };
    ImportJob ended = imports.settled(job.id(), Duration.ofMinutes(2)).orElseThrow();
    if (ended.finishedAt() == null) {
      throw new AssertionError("the import does not end: " + ended);
    }
    return ended;
  }

  /// The error file as lines, without the byte order mark.
  List<String> errors(ImportJob job) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      imports.writeErrors(job.id(), fairgate.platform.text.Language.EN, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String text = out.toString(StandardCharsets.UTF_8);
    if (!text.startsWith("\ufeff")) {
      throw new AssertionError("Excel needs the mark");
    }
    return text.substring(1).lines().toList();
  }

  /// Changes the database behind everybody's back.
  void sql(String statement, Object... arguments) {
    int changed = database.tx(db -> db.update(statement, arguments));
    if (changed == 0) {
      throw new AssertionError("nothing was changed");
    }
  }

  /// All imported orders as `platform order product amount currency status`.
  List<String> orders() {
    return database.reading(
        db ->
            db
                .query(
                    """
                    SELECT concat_ws(' ', platform, order_id, product_id, amount, currency, status)
                    FROM orders ORDER BY platform, order_id, product_id\
                    """)
                .stream()
                .map(row -> row.getString(0))
                .toList());
  }

  @Override
  public void close() {
    feature.close();
    database.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
