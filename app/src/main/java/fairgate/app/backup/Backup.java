package fairgate.app.backup;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.backup.Backup.Manifest.OutboxFile;
import fairgate.app.backup.Backup.Manifest.TableFile;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxReplay;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.PostgresSnapshot;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.EngineWait;
import fairgate.sale.LiveCounters;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/// Writes a backup: all tables of PostgreSQL at one instant, and the events of sales that were only
/// in Redis at that instant. Servers may run. Blocks.
///
/// @param redis empty to leave the events out that only Redis has
public record Backup(
    PostgresSettings postgres, Optional<RedisClient> redis, EngineWait engineWait) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// Events in the ledger, by sale.
  private static final String SALES =
      """
      SELECT t.product_id || ' ' || coalesce(p.earlier + p.applied, 0)
      FROM sale_totals t LEFT JOIN outbox_positions p USING (product_id) ORDER BY t.product_id
      """;

  /// The contents of a backup.
  ///
  /// @param events events of sales that were only in Redis
  public record Summary(int tables, long rows, long events, long bytes) {}

  /// Writes the file, readable by its owner only. A file of this name is replaced when the backup
  /// is complete.
  ///
  /// @param secrets encrypted with the passphrase; left out when that is empty
  /// @throws ServiceUnavailable when an engine does not answer
  public Summary write(Path file, Map<String, String> secrets, String passphrase)
      throws IOException {
    Path folder = Optional.ofNullable(file.toAbsolutePath().getParent()).orElseThrow();
    Path draft =
        Files.createTempFile(
            folder,
            ".fairgate-backup",
            "",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Manifest manifest = archive(draft, secrets, passphrase);
      Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      return new Summary(
          manifest.tables().size(),
          manifest.tables().stream().mapToLong(TableFile::rows).sum(),
          manifest.outbox().stream().mapToLong(OutboxFile::entries).sum(),
          Files.size(file));
    } finally {
      boolean _ = Files.deleteIfExists(draft);
    }
  }

  private Manifest archive(Path draft, Map<String, String> secrets, String passphrase)
      throws IOException {
    try (PostgresSnapshot snapshot = engineWait.call(() -> PostgresSnapshot.take(postgres));
        ZipOutputStream zip =
            new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(draft)))) {
      if (snapshot.versions().isEmpty()) {
        throw new ServiceUnavailable(
            "this database has no schema of Fairgate", Duration.ofSeconds(1));
      }
      // First, because an outbox keeps its last entries only.
      List<OutboxFile> outbox = outboxes(snapshot, zip);
      List<TableFile> tables = new ArrayList<>();
      for (PostgresSnapshot.Table table : snapshot.tables()) {
        Part part = Part.begin(zip, "tables/" + table.name());
        long rows = snapshot.write(table, part.out());
        tables.add(new TableFile(table.name(), table.columns(), rows, part.end(zip)));
      }
      Manifest manifest =
          new Manifest(
              Manifest.FORMAT,
              Instant.now().toString(),
              snapshot.versions(),
              tables,
              snapshot.sequences(),
              outbox,
              passphrase.isEmpty() ? null : SealedSecrets.seal(secrets, passphrase));
      zip.putNextEntry(new ZipEntry(Manifest.NAME));
      zip.write(JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(manifest));
      zip.closeEntry();
      return manifest;
    }
  }

  private List<OutboxFile> outboxes(PostgresSnapshot snapshot, ZipOutputStream zip)
      throws IOException {
    List<OutboxFile> files = new ArrayList<>();
    if (redis.isEmpty()) {
      return files;
    }
    for (String sale : snapshot.column(SALES)) {
      int cut = sale.indexOf(' ');
      OutboxFile file =
          outbox(
              redis.get(),
              new ProductId(sale.substring(0, cut)),
              Long.parseLong(sale.substring(cut + 1)),
              zip);
      if (file != null) {
        files.add(file);
      }
    }
    return files;
  }

  /// Writes the whole outbox of a sale with events that the ledger lacks; a replay ignores those
  /// that it has.
  private @Nullable OutboxFile outbox(
      RedisClient redis, ProductId product, long known, ZipOutputStream zip) throws IOException {
    LiveCounters live = engineWait.answer(() -> LiveCounters.read(redis, product));
    if (live.earlierEvents() + live.seq() <= known) {
      return null;
    }
    SaleKeys.Style style = SaleKeys.Style.of(redis.clustered());
    OutboxStream stream = new OutboxStream(product, SaleKeys.of(product, style).outbox());
    Part part = Part.begin(zip, "outbox/" + product.value());
    long[] entries = {0};
    try {
      OutboxReplay.read(
          redis,
          stream,
          chunk -> {
            entries[0] += chunk.size();
            chunk.forEach(entry -> write(entry, part.out()));
          });
    } catch (UncheckedIOException e) {
      throw new IOException(e.getMessage(), e);
    }
    return new OutboxFile(product.value(), stream.key(), entries[0], part.end(zip));
  }

  private static void write(OutboxEntry entry, OutputStream out) {
    try {
      out.write(JSON.writeValueAsBytes(entry));
      out.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// One file of the archive while it is written.
  private record Part(DigestOutputStream out) {
    static Part begin(ZipOutputStream zip, String name) throws IOException {
      zip.putNextEntry(new ZipEntry(name));
      return new Part(new DigestOutputStream(zip, sha256()));
    }

    String end(ZipOutputStream zip) throws IOException {
      out.flush();
      zip.closeEntry();
      return HexFormat.of().formatHex(out.getMessageDigest().digest());
    }
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The contents of a backup file, a zip archive. The manifest is its last entry, so an incomplete
  /// file has none.
  ///
  /// @param format version of this format
  /// @param createdAt ISO 8601
  /// @param versions the migrations of the schema
  /// @param sequences last values of PostgreSQL's sequences
  /// @param outbox events of each sale that Redis had and the ledger did not
  /// @param secrets null when the backup was made without a passphrase
  record Manifest(
      int format,
      String createdAt,
      Set<String> versions,
      List<TableFile> tables,
      Map<String, Long> sequences,
      List<OutboxFile> outbox,
      @Nullable SealedSecrets secrets) {
    static final String NAME = "manifest.json";

    /// The format that this build writes.
    static final int FORMAT = 1;

    /// The rows of a table, in PostgreSQL's text format.
    ///
    /// @param columns separated by commas
    /// @param sha256 of the uncompressed file, hexadecimal
    record TableFile(String name, String columns, long rows, String sha256) {
      String file() {
        return "tables/" + name;
      }
    }

    /// Entries of an outbox, one JSON object per line: `id` and `fields`.
    record OutboxFile(String product, String key, long entries, String sha256) {
      String file() {
        return "outbox/" + product;
      }
    }
  }
}
