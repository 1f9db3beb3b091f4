package fairgate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A real reverse proxy as a child process: nginx, HAProxy or Caddy from Debian. Fails with the
/// name of the package if the program is missing.
public final class FrontProxy implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final int TRIES = 5;

  private static final String NGINX =
      """
        daemon off;
        worker_processes 1;
        pid $DIR/pid;
        error_log $DIR/log;
        events { worker_connections 4096; }
        http {
          access_log off;
          client_body_temp_path $DIR/body;
          proxy_temp_path $DIR/proxy;
          fastcgi_temp_path $DIR/fastcgi;
          uwsgi_temp_path $DIR/uwsgi;
          scgi_temp_path $DIR/scgi;
        """;

  private final Process process;
  private final Path folder;
  private final List<Integer> ports;

  private FrontProxy(Process process, Path folder, List<Integer> ports) {
    this.process = process;
    this.folder = folder;
    this.ports = ports;
  }

  /// Starts nginx.
  ///
  /// @param servers content of its `http` block, with `$PORT0`, `$PORT1`, ... for free ports
  public static FrontProxy nginx(String servers, int ports) {
    String config = nginxConfig(servers);
    return start("nginx", List.of("-e", "$DIR/log", "-c", "$DIR/config"), config, ports);
  }

  /// Gives a running nginx another configuration, as `nginx -s reload` does. Its old worker goes on
  /// with the requests that it has.
  ///
  /// @param servers as at the start
  public void reloadNginx(String servers) {
    try {
      Files.writeString(folder.resolve("config"), filled(nginxConfig(servers), folder, ports));
      Process signal = new ProcessBuilder("kill", "-s", "HUP", "" + process.pid()).start();
      if (signal.waitFor() != 0) {
        throw new IllegalStateException("nginx does not run");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String nginxConfig(String servers) {
    // The worker may read the folder, which belongs to the user of the test.
    return "user " + System.getProperty("user.name") + ";\n" + NGINX + servers + "}\n";
  }

  /// Starts HAProxy.
  ///
  /// @param sections its frontends and backends, with `$PORT0`, `$PORT1`, ... for free ports
  public static FrontProxy haproxy(String sections, int ports) {
    String config =
        """
        defaults
          mode http
          timeout connect 10s
          timeout client 20s
          timeout server 20s
        """
            + sections;
    return start("haproxy", List.of("-db", "-f", "$DIR/config"), config, ports);
  }

  /// Starts Caddy.
  ///
  /// @param sites its sites, with `$PORT0`, `$PORT1`, ... for free ports; global options may
  ///   precede
  public static FrontProxy caddy(String sites, int ports) {
    String options =
        """
        {
          admin off
          auto_https off
          storage file_system \\$DIR
        """;
    Pattern begin = Pattern.compile("^\\{\n", Pattern.MULTILINE);
    String all = begin.matcher(sites).find() ? sites : "{\n}\n" + sites;
    String config = begin.matcher(all).replaceFirst(options);
    return start(
        "caddy",
        List.of("run", "--config", "$DIR/config", "--adapter", "caddyfile"),
        config,
        ports);
  }

  /// One of its ports, counted from 0.
  public int port(int index) {
    return ports.get(index);
  }

  private static FrontProxy start(String name, List<String> options, String config, int count) {
    String program = find(name);
    for (int attempt = 1; ; attempt++) {
      try {
        Path folder = Files.createTempDirectory("fairgate-" + name);
        List<Integer> ports = freePorts(count);
        Files.writeString(folder.resolve("config"), filled(config, folder, ports));
        List<String> command = new ArrayList<>(List.of(program));
        options.forEach(option -> command.add(filled(option, folder, ports)));
        ProcessBuilder builder =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().put("XDG_CONFIG_HOME", folder.toString());
        Process process = builder.start();
        FrontProxy proxy = new FrontProxy(process, folder, ports);
        if (proxy.answers()) {
          return proxy;
        }
        String said = proxy.said();
        proxy.close();
        // Another process may have taken a port meanwhile.
        if (attempt == TRIES) {
          throw new AssertionError(name + " does not start: " + said);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static String filled(String text, Path folder, List<Integer> ports) {
    String all = text.replace("$DIR", folder.toString());
    for (int i = 0; i < ports.size(); i++) {
      all = all.replace("$PORT" + i, ports.get(i).toString());
    }
    return all;
  }

  private static String find(String name) {
    String path = String.valueOf(System.getenv("PATH")) + ":/usr/sbin:/usr/local/sbin";
    for (String folder : path.split(":", -1)) {
      Path program = Path.of(folder, name);
      if (Files.isExecutable(program)) {
        return program.toString();
      }
    }
    throw new AssertionError(
        "this test needs " + name + ": apt-get install " + name + ", or brew install " + name);
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> held = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return held.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
  }

  private boolean answers() {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (int port : ports) {
      while (!connects(port)) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          return false;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    }
    return process.isAlive();
  }

  private static boolean connects(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
      return true;
    } catch (IOException _) {
      return false;
    }
  }

  /// What it has printed and logged so far.
  public String said() {
    try {
      Path log = folder.resolve("log");
      return Files.readString(folder.resolve("output"))
          + (Files.exists(log) ? Files.readString(log) : "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
