package fairgate.gate.ban;

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

/// Looks up the autonomous system of an address in the operator's `mmdb` file: GeoLite2 ASN, DB-IP
/// ASN Lite and similar files (`autonomous_system_number`), or IPinfo's (`asn`).
///
/// The file is held in memory and checked for changes every two seconds. A new file replaces the
/// old one once it can be read. A lookup never blocks and never fails.
final class AsnDatabase implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AsnDatabase.class);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);
  private static final long MAX_BYTES = 1L << 29;
  private static final ClientAddress TRIAL = new ClientAddress(0, 0xffff_0808_0808L);

  private final @Nullable Path file;
  private volatile @Nullable Reader reader;
  private @Nullable Version seen;
  private @Nullable PeriodicJob job;

  /// The attributes by which a change of the file is detected.
  private record Version(FileTime modified, long size) {}

  /// @param file null without a database; every number is then unknown
  AsnDatabase(@Nullable Path file) {
    this.file = file;
  }

  /// Reads the file and starts to watch it. The file may appear later.
  void start() {
    if (file != null) {
      reload(file);
      job = new PeriodicJob("asn-database", CHECK_INTERVAL, () -> reload(file));
      job.start();
    }
  }

  /// The number of the autonomous system; 0 when unknown.
  long number(ClientAddress address) {
    Reader current = reader;
    if (current == null) {
      return 0;
    }
    try {
      return number(current, address);
    } catch (IOException | RuntimeException e) {
      LOG.debug("ASN lookup failed", e);
      return 0;
    }
  }

  private static long number(Reader reader, ClientAddress address) throws IOException {
    Map<?, ?> found = reader.get(inet(address), Map.class);
    if (found == null) {
      return 0;
    }
    if (found.get("autonomous_system_number") instanceof Number number) {
      return number.longValue();
    }
    return found.get("asn") instanceof String text && text.matches("AS[0-9]{1,10}")
        ? Long.parseLong(text.substring(2))
        : 0;
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
      long _ = number(fresh, TRIAL);
      reader = fresh;
      LOG.info("Loaded ASN database; path={}, nodes={}", path, fresh.getMetadata().nodeCount());
    } catch (IOException | RuntimeException e) {
      LOG.warn("Could not read the ASN database; path={}", path, e);
    }
  }

  @Override
  public void close() {
    if (job != null) {
      job.close();
    }
  }
}
