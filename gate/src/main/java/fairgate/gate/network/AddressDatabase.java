package fairgate.gate.network;

import com.maxmind.db.Reader;
import fairgate.kernel.ClientAddress;
import fairgate.platform.run.PeriodicJob;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks up the records of addresses in one `mmdb` file.
///
/// The file is held in memory and checked for changes every two seconds. A new file replaces the
/// old one once it can be read. A lookup never blocks and never fails.
final class AddressDatabase implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AddressDatabase.class);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);
  private static final long MAX_BYTES = 1L << 29;
  private static final ClientAddress TRIAL = new ClientAddress(0, 0xffff_0808_0808L);

  private final String name;
  private final @Nullable Path file;
  private volatile @Nullable Reader reader;
  private @Nullable Version seen;
  private @Nullable PeriodicJob job;

  /// The attributes by which a change of the file is detected.
  private record Version(FileTime modified, long size) {}

  /// @param name for the log
  /// @param file null without a file; every address is then unknown
  AddressDatabase(String name, @Nullable Path file) {
    this.name = name;
    this.file = file;
  }

  /// Reads the file and starts to watch it. The file may appear later.
  void start() {
    if (file != null) {
      reload(file);
      job = new PeriodicJob(name + "-database", CHECK_INTERVAL, () -> reload(file));
      job.start();
    }
  }

  /// Whether a file has been read.
  boolean isLoaded() {
    return reader != null;
  }

  /// The record of an address; empty when unknown.
  Map<?, ?> find(ClientAddress address) {
    Reader current = reader;
    if (current == null) {
      return Map.of();
    }
    try {
      return find(current, address);
    } catch (IOException | RuntimeException e) {
      LOG.debug("Lookup in the {} database failed", name, e);
      return Map.of();
    }
  }

  private static Map<?, ?> find(Reader reader, ClientAddress address) throws IOException {
    Map<?, ?> found = reader.get(inet(address), Map.class);
    return found == null ? Map.of() : found;
  }

  private static InetAddress inet(ClientAddress address) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(16).putLong(address.high()).putLong(address.low());
    // Java converts the sixteen bytes of a mapped address into an IPv4 address.
    return InetAddress.getByAddress(bytes.array());
  }

  /// Loads the file if it has changed and can be read.
  void reload(Path path) {
    try {
      Version now = new Version(Files.getLastModifiedTime(path), Files.size(path));
      if (now.equals(seen)) {
        return;
      }
      // Stored before reading, so that an unreadable file is logged once.
      seen = now;
      if (now.size() > MAX_BYTES) {
        throw new IOException("larger than 512 MiB");
      }
      Reader fresh = new Reader(new ByteArrayInputStream(Files.readAllBytes(path)));
      var _ = find(fresh, TRIAL);
      reader = fresh;
      LOG.info(
          "Loaded {} database; path={}, nodes={}", name, path, fresh.getMetadata().nodeCount());
    } catch (IOException | RuntimeException e) {
      LOG.warn("Could not read the {} database; path={}", name, path, e);
    }
  }

  @Override
  public void close() {
    if (job != null) {
      job.close();
    }
  }
}
