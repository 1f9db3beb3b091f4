package fairgate.platform.embedded;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Redis on a Unix socket: no port is open, and the socket's folder lets only its owner in. A node
/// of a cluster has a port on the loopback address besides, for that is how nodes are found.
final class RedisEngine implements Engine {
  private static final Logger LOG = LoggerFactory.getLogger(RedisEngine.class);

  /// A socket's path has 103 bytes on macOS, 107 on Linux; the rest keeps the URI free of escapes.
  private static final String PLAIN_PATH = "[A-Za-z0-9/._-]{1,100}";

  private final String name;
  private final Path program;
  private final Path data;
  private final Path socket;
  private final EngineHome home;
  private final EngineOptions options;
  private final int port;
  private final int busPort;

  private RedisEngine(
      String name, EnginePrograms programs, EngineHome home, EngineOptions options, boolean cluster)
      throws IOException {
    this.name = name;
    this.program = programs.redisServer();
    this.data = home.subfolder(name);
    this.socket = socket(home, data);
    this.home = home;
    this.options = options;
    this.port = cluster ? KeptPort.free() : 0;
    this.busPort = cluster ? KeptPort.free() : 0;
  }

  /// The only one.
  static RedisEngine single(EnginePrograms programs, EngineHome home, EngineOptions options)
      throws IOException {
    return new RedisEngine("redis", programs, home, options, false);
  }

  /// A node of a cluster that knows of no other yet.
  ///
  /// @param number names its folder and its log
  static RedisEngine node(
      int number, EnginePrograms programs, EngineHome home, EngineOptions options)
      throws IOException {
    return new RedisEngine("redis-" + number, programs, home, options, true);
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

  /// The same after every restart.
  String uri() {
    return "unix://" + socket;
  }

  Path program() {
    return program;
  }

  /// Its address in a cluster; on port 0 where it is the only one.
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
    // A rewrite of the log takes half a processor: a rush of a million joins must not start one.
    // Limits of many addresses end within a second, beside a million sessions that do not: with
    // less
    // effort Redis lets one key in ten be one that is over.
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
    long cut = RedisLog.mend(data);
    if (cut > 0) {
      LOG.warn("{}: {} bytes of what it was writing when it was cut off are taken back", name, cut);
    }
    Files.writeString(file, port == 0 ? settings : settings + clustered());
    home.user().own(file);
    return home.user().command(List.of(program.toString(), file.toString()));
  }

  /// A node is called `unknown-endpoint`: clients stay on the address they came by, which may be
  /// one of several ways to it.
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
      // While it loads its data the answer is -LOADING.
      return channel.read(reply) > 0 && reply.get(0) == '+';
    } catch (IOException _) {
      return false;
    }
  }

  /// Removes a socket that had to live outside the data folder.
  void forgetSocket() {
    Path folder = socket.getParent();
    try {
      if (folder != null && !folder.equals(data)) {
        Folders.delete(folder);
      }
    } catch (IOException _) {
      // The system clears its temporary folder some day.
    }
  }
}
