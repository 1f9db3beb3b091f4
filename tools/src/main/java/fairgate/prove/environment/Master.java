package fairgate.prove.environment;

import fairgate.platform.embedded.EmbeddedEngines.ClusterAddress;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// One Redis of a proof, a master of a cluster or the only one, which may be killed, kept down, and
/// robbed of the end of its log.
public final class Master {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final int index;
  private final ClusterAddress address;
  private final Path folder;
  private final IntToLongFunction pid;
  private final Supplier<SocketAddress> socket;
  private final Hold hold = new Hold();

  /// @param index counts from 0
  /// @param folder its data
  /// @param pid of a master's process, by index
  /// @param socket where it is now
  Master(
      int index,
      ClusterAddress address,
      Path folder,
      IntToLongFunction pid,
      Supplier<SocketAddress> socket) {
    this.socket = socket;
    this.index = index;
    this.address = address;
    this.folder = folder;
    this.pid = pid;
  }

  public int index() {
    return index;
  }

  /// Where it is, whether it runs or not.
  public SocketAddress socket() {
    return socket.get();
  }

  static SocketAddress socket(ClusterAddress address) {
    return UnixDomainSocketAddress.of(address.uri().substring("unix://".length()));
  }

  ClusterAddress address() {
    return address;
  }

  private boolean clustered() {
    return address.port() > 0;
  }

  /// A connection of the proof's own.
  public Resp open() throws IOException {
    return Resp.open(socket());
  }

  /// `kill -9`; it stays dead until `back`.
  public void kill() {
    hold.kill(pid.applyAsLong(index));
    Waiting.until("the end of Redis", PATIENCE, () -> !answers());
  }

  /// Ends it like a full disk: its log may grow by one byte, so its next write is cut short. It
  /// stays dead until `back`. False, without an effect, if there is no `prlimit` (macOS).
  ///
  /// @param key is written at once, to have a next write
  public boolean fillDisk(String key) throws IOException {
    long process = pid.applyAsLong(index);
    hold.keepDown(process);
    // Written to between the look and the limit it would be past the limit, and get a signal.
    Signals.send("STOP", process);
    boolean full = Limits.fileSize(process, logSize() + 1, folder);
    Signals.send("CONT", process);
    if (!full) {
      hold.release();
      return false;
    }
    try (Resp redis = open()) {
      Object _ = redis.call("SET", key, "1", "PX", "1000");
    } catch (IOException _) {
      // It ends without an answer.
    }
    Waiting.until("the end of Redis", PATIENCE, () -> !answers());
    return true;
  }

  /// Lets it start again, and waits until it serves.
  public void back() {
    hold.release();
    Waiting.until("Redis", PATIENCE, this::serves);
  }

  void release() {
    hold.release();
  }

  boolean answers() {
    try (Resp redis = open()) {
      return "PONG".equals(redis.call("PING"));
    } catch (IOException _) {
      return false;
    }
  }

  /// In a cluster it takes two seconds to serve its slots again.
  boolean serves() {
    try (Resp redis = open()) {
      return "PONG".equals(redis.call("PING"))
          && (!clustered()
              || String.valueOf(redis.call("CLUSTER", "INFO")).contains("cluster_state:ok"));
    } catch (IOException _) {
      return false;
    }
  }

  /// How long its log is at this moment.
  public long logSize() throws IOException {
    return Files.size(log());
  }

  /// Truncates the log while it is dead, as by a power cut or a restored older copy.
  public void cutLog(long size) throws IOException {
    try (FileChannel file = FileChannel.open(log(), StandardOpenOption.WRITE)) {
      FileChannel _ = file.truncate(size);
      file.force(true);
    }
  }

  /// Takes it the right to make files in its folder, or gives it back.
  public void lockFolder(boolean lock) throws IOException {
    Path _ =
        Files.setPosixFilePermissions(
            folder, PosixFilePermissions.fromString(lock ? "r-x------" : "rwx------"));
  }

  private Path log() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("appendonlydir"))) {
      return files
          .filter(file -> file.toString().endsWith(".incr.aof"))
          .sorted()
          .reduce((_, last) -> last)
          .orElseThrow();
    }
  }
}
