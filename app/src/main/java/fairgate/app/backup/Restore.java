package fairgate.app.backup;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.backup.Backup.Manifest;
import fairgate.app.backup.Backup.Manifest.OutboxFile;
import fairgate.app.backup.Backup.Manifest.TableFile;
import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresLoader;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.PostgresSnapshot.Table;
import fairgate.sale.ledger.Ledger;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/// Reads a backup. Blocks.
public final class Restore implements AutoCloseable {
  private static final int BATCH = 500;

  /// A Redis that is kept has applied later changes of rooms than the backup has. The numbers go on
  /// after all of them, for the present settings too: Redis ignores settings with an earlier one.
  private static final String ROOM_CHANGES = "room_changes";

  private static final long ROOM_CHANGES_SKIPPED = 1_000_000;
  private static final List<String> ROOMS =
      List.of("UPDATE rooms SET version = nextval('room_changes')");
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private final ZipFile archive;
  private final Manifest manifest;

  private Restore(ZipFile archive, Manifest manifest) {
    this.archive = archive;
    this.manifest = manifest;
  }

  /// Opens a backup.
  ///
  /// @throws IOException when the file is incomplete, damaged or of a newer format
  public static Restore open(Path file) throws IOException {
    ZipFile archive = new ZipFile(file.toFile());
    try {
      ZipEntry entry = archive.getEntry(Manifest.NAME);
      if (entry == null) {
        throw new IOException("the backup is incomplete: it has no " + Manifest.NAME);
      }
      Manifest manifest = JSON.readValue(archive.getInputStream(entry), Manifest.class);
      if (manifest.format() > Manifest.FORMAT) {
        throw new IOException("the backup was made by a newer build; use that one");
      }
      return new Restore(archive, manifest);
    } catch (IOException e) {
      archive.close();
      throw e;
    }
  }

  /// The result of a restore.
  ///
  /// @param events events that only Redis had
  /// @param rejected those of them that the ledger rejects
  public record Summary(int tables, long rows, long events, long rejected) {}

  /// The time of the backup, ISO 8601.
  public String createdAt() {
    return manifest.createdAt();
  }

  /// Whether the backup has encrypted secrets.
  public boolean hasSecrets() {
    return manifest.secrets() != null;
  }

  /// The decrypted secrets; empty without secrets or with a wrong passphrase.
  public Optional<Map<String, String>> secrets(String passphrase) throws IOException {
    SealedSecrets sealed = manifest.secrets();
    return sealed == null ? Optional.empty() : sealed.open(passphrase);
  }

  /// Restores all tables into an empty database, in one transaction. Then replays the events that
  /// only Redis had.
  ///
  /// @throws IOException when a file of the backup is damaged; nothing is restored then
  /// @throws PostgresLoader.Unfit when the database is not empty or this build is too old
  public Summary into(PostgresSettings settings, PostgresDatabase database) throws IOException {
    verify();
    long rows = 0;
    try (PostgresLoader loader = PostgresLoader.open(settings, manifest.versions())) {
      loader.begin(manifest.tables().stream().map(Restore::table).toList());
      for (TableFile file : manifest.tables()) {
        rows += load(loader, file);
      }
      loader.finish(
          sequences(), manifest.sequences().containsKey(ROOM_CHANGES) ? ROOMS : List.of());
    }
    long events = 0;
    long rejected = 0;
    OutboxSink sink = Ledger.of(database).sink();
    for (OutboxFile file : manifest.outbox()) {
      OutboxStream stream = new OutboxStream(new ProductId(file.product()), file.key());
      List<OutboxEntry> entries = entries(file);
      events += entries.size();
      for (int i = 0; i < entries.size(); i += BATCH) {
        rejected += apply(sink, stream, entries.subList(i, Math.min(i + BATCH, entries.size())));
      }
    }
    return new Summary(manifest.tables().size(), rows, events, rejected);
  }

  /// A time, so that a second restore of the same backup is later than the changes since the first.
  private static long afterAllChanges(long last) {
    return Math.max(last, Instant.now().toEpochMilli()) + ROOM_CHANGES_SKIPPED;
  }

  private Map<String, Long> sequences() {
    Map<String, Long> all = new HashMap<>(manifest.sequences());
    all.computeIfPresent(ROOM_CHANGES, (_, last) -> afterAllChanges(last));
    return all;
  }

  private static Table table(TableFile file) {
    return new Table(file.name(), file.columns());
  }

  private long load(PostgresLoader loader, TableFile file) throws IOException {
    try (InputStream in = file(file.file())) {
      long rows = loader.load(table(file), in);
      if (rows != file.rows()) {
        throw new IOException(
            "%s has %d rows instead of %d".formatted(file.name(), rows, file.rows()));
      }
      return rows;
    }
  }

  private List<OutboxEntry> entries(OutboxFile file) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(file(file.file()), StandardCharsets.UTF_8))) {
      List<OutboxEntry> entries = new ArrayList<>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        entries.add(JSON.readValue(line, OutboxEntry.class));
      }
      return entries;
    }
  }

  private InputStream file(String name) throws IOException {
    ZipEntry entry = archive.getEntry(name);
    if (entry == null) {
      throw new IOException("the backup is damaged: it has no " + name);
    }
    return archive.getInputStream(entry);
  }

  /// Compares every file with its digest.
  private void verify() throws IOException {
    for (TableFile file : manifest.tables()) {
      verify(file.file(), file.sha256());
    }
    for (OutboxFile file : manifest.outbox()) {
      verify(file.file(), file.sha256());
    }
  }

  private void verify(String name, String sha256) throws IOException {
    MessageDigest digest = Backup.sha256();
    try (InputStream in = new DigestInputStream(file(name), digest)) {
      long _ = in.transferTo(OutputStream.nullOutputStream());
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(sha256)) {
      throw new IOException("the backup is damaged: " + name + " was changed");
    }
  }

  /// Halves a rejected batch until the rejected entries are alone, and returns their number.
  private static long apply(OutboxSink sink, OutboxStream stream, List<OutboxEntry> entries) {
    try {
      sink.apply(stream, entries);
      return 0;
    } catch (PostgresRefusal | IllegalArgumentException _) {
      if (entries.size() == 1) {
        return 1;
      }
      int half = entries.size() / 2;
      return apply(sink, stream, entries.subList(0, half))
          + apply(sink, stream, entries.subList(half, entries.size()));
    }
  }

  @Override
  public void close() throws IOException {
    archive.close();
  }
}
