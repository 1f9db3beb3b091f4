package fairgate.platform.embedded;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import fairgate.platform.embedded.EmbeddedEngines.ClusterAddress;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Redis on a Unix socket in a folder that only its owner may enter, without a port. A cluster node
/// also has a port on the loopback address, because clients need it to find nodes.
final class RedisEngine implements Engine {
  private static final Logger LOG = LoggerFactory.getLogger(RedisEngine.class);

  /// The path of a socket may have 103 bytes on macOS and 107 on Linux; the other conditions keep
  /// the URI free of escapes.
  private static final String PLAIN_PATH = "[A-Za-z0-9/._-]{1,100}";

  /// The file with the release that last wrote the data.
  private static final String MARK = "written-by";

  private final String name;
  private final RedisProgram program;
  private final Path data;
  private final Path socket;
  private final EngineHome home;
  private final EngineOptions options;
  private final int port;
  private final int busPort;

  private RedisEngine(
      String name, RedisProgram program, EngineHome home, EngineOptions options, boolean cluster)
      throws IOException {
    this.name = name;
    this.program = program;
    this.data = home.subfolder(name);
    this.socket = socket(home, data);
    this.home = home;
    this.options = options;
    this.port = cluster ? FreePort.find() : 0;
    this.busPort = cluster ? FreePort.find() : 0;
  }

  static RedisEngine single(RedisProgram program, EngineHome home, EngineOptions options)
      throws IOException {
    return new RedisEngine(name(0), program, home, options, false);
  }

  /// A cluster node that does not know other nodes yet.
  ///
  /// @param number names its folder and its log
  static RedisEngine node(int number, RedisProgram program, EngineHome home, EngineOptions options)
      throws IOException {
    return new RedisEngine(name(number), program, home, options, true);
  }

  private static Path socket(EngineHome home, Path data) throws IOException {
    Path socket = data.resolve("redis.sock");
    if (socket.toString().matches(PLAIN_PATH)) {
      return socket;
    }
    Path folder = Files.createTempDirectory(Path.of("/tmp"), "fairgate-");
    home.close(folder);
    return folder.resolve("redis.sock");
  }

  /// The socket of the single Redis that was last started on the data in this folder, from its
  /// settings.
  static Optional<Path> socketOf(Path engines) {
    try {
      return Files.readAllLines(engines.resolve(name(0)).resolve("redis.conf")).stream()
          .filter(line -> line.startsWith("unixsocket \""))
          .map(line -> Path.of(line.substring(line.indexOf('"') + 1, line.length() - 1)))
          .findFirst();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// The URI of the socket; the same after every restart.
  String uri() {
    return "unix://" + socket;
  }

  RedisProgram program() {
    return program;
  }

  /// The address of a cluster node; port 0 for a single Redis.
  ClusterAddress address() {
    return new ClusterAddress(uri(), port, busPort);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Path data() {
    return data;
  }

  @Override
  public List<String> command() throws IOException {
    Path file = data.resolve("redis.conf");
    // Rewriting the log costs half a processor, so a rush of a million joins must not start it.
    // Expired keys of limits accumulate beside a million sessions: with a lower effort, Redis lets
    // one key in ten be an expired one.
    String settings =
        """
        port %d
        unixsocket "%s"
        unixsocketperm 700
        dir "%s"
        save ""
        appendonly yes
        appendfsync %s
        auto-aof-rewrite-min-size 512mb
        aof-load-truncated yes
        active-expire-effort 10
        latency-tracking no
        maxmemory-policy noeviction
        set-proc-title no
        always-show-logo no
        """
            .formatted(port, socket, data, options.fsyncEveryWrite() ? "always" : "everysec");
    mark();
    long cut = RedisLog.mend(data);
    if (cut > 0) {
      LOG.warn("{}: {} bytes of what it was writing when it was cut off are taken back", name, cut);
    }
    Files.writeString(file, port == 0 ? settings : settings + clustered());
    home.user().own(file);
    return home.user().command(List.of(program.path().toString(), file.toString()));
  }

  /// The release that last wrote the data of this engine; empty without data, and for data of an
  /// earlier Fairgate, which always ran Redis 7.0.
  ///
  /// @param number of a cluster's node; 0 for the only one
  static Optional<RedisRelease> writer(EngineHome home, int number) throws IOException {
    Path data = home.folder().resolve(name(number));
    Path mark = data.resolve(MARK);
    return Files.exists(mark) && Files.exists(data.resolve("appendonlydir"))
        ? RedisRelease.parse(Files.readString(mark))
        : Optional.empty();
  }

  private static String name(int number) {
    return number == 0 ? "redis" : "redis-" + number;
  }

  /// Records the release that writes the data from now on. Called before the start, because an
  /// older release may be unable to read the first file that it rewrites.
  private void mark() throws IOException {
    Path draft = data.resolve(MARK + ".draft");
    Files.writeString(draft, program.release() + "\n", CREATE, TRUNCATE_EXISTING, WRITE, SYNC);
    home.user().own(draft);
    Files.move(draft, data.resolve(MARK), StandardCopyOption.ATOMIC_MOVE);
  }

  /// The preferred endpoint is `unknown-endpoint`: clients stay on the address that they used,
  /// because a node may have several.
  private String clustered() {
    return """
    bind 127.0.0.1
    cluster-enabled yes
    cluster-port %d
    cluster-config-file nodes.conf
    cluster-node-timeout 2000
    cluster-require-full-coverage no
    cluster-preferred-endpoint-type unknown-endpoint
    """
        .formatted(busPort);
  }

  @Override
  public String stopSignal() {
    return "TERM";
  }

  @Override
  public boolean isReady() {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      channel.write(ByteBuffer.wrap("PING\r\n".getBytes(StandardCharsets.US_ASCII)));
      ByteBuffer reply = ByteBuffer.allocate(64);
      // While Redis loads its data it replies -LOADING.
      return channel.read(reply) > 0 && reply.get(0) == '+';
    } catch (IOException _) {
      return false;
    }
  }

  /// Removes a socket outside the data folder.
  void forgetSocket() {
    Path folder = socket.getParent();
    try {
      if (folder != null && !folder.equals(data)) {
        Folders.delete(folder);
      }
    } catch (IOException _) {
      // The system cleans its temporary folder.
    }
  }
}
