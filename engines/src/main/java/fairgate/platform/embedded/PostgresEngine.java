package fairgate.platform.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// PostgreSQL on a free port of the loopback address, with a random password stored with its data.
final class PostgresEngine implements Engine {
  private static final String MAJOR = "18";
  private static final String NAME = "fairgate";

  private final Path programs;
  private final Path data;
  private final EngineHome home;
  private final EngineOptions options;
  private final String password;
  private volatile int port;

  PostgresEngine(EnginePrograms programs, EngineHome home, EngineOptions options)
      throws IOException {
    this.programs = programs.postgres();
    this.data = home.folder().resolve("postgres");
    this.home = home;
    this.options = options;
    this.password = password(home.subfolder("postgres-password").resolve("password"));
    this.port = FreePort.find();
  }

  /// The address of the PostgreSQL running on the data in this folder, from its pid file: the first
  /// line is the process, the fourth the port.
  static Optional<PostgresAddress> running(Path engines) {
    try {
      List<String> pid = Files.readAllLines(engines.resolve("postgres/postmaster.pid"));
      String password = Files.readString(engines.resolve("postgres-password/password")).strip();
      boolean alive =
          pid.size() > 7
              && pid.get(7).strip().equals("ready")
              && ProcessHandle.of(Long.parseLong(pid.getFirst().strip()))
                  .map(ProcessHandle::isAlive)
                  .orElse(false);
      return alive
          ? Optional.of(
              new PostgresAddress(
                  "127.0.0.1", Integer.parseInt(pid.get(3).strip()), NAME, password, NAME))
          : Optional.empty();
    } catch (IOException | NumberFormatException _) {
      return Optional.empty();
    }
  }

  PostgresAddress address() {
    return new PostgresAddress("127.0.0.1", port, NAME, password, NAME);
  }

  /// Chooses another free port for the next start, because the last one was taken.
  void changePort() {
    port = FreePort.find();
  }

  @Override
  public String name() {
    return "postgres";
  }

  @Override
  public Path data() {
    return data;
  }

  @Override
  public String stopSignal() {
    return "INT";
  }

  /// The eighth line of the pid file is PostgreSQL's state.
  @Override
  public boolean isReady() {
    try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
      return lines.skip(7).anyMatch(line -> line.strip().equals("ready"));
    } catch (IOException _) {
      return false;
    }
  }

  @Override
  public List<String> command() throws IOException {
    if (!Files.exists(data)) {
      create();
    }
    Path versionFile = home.subfolder("postgres").resolve("PG_VERSION");
    String version = Files.readString(versionFile).strip();
    if (!version.equals(MAJOR)) {
      throw new EngineFailed(
          "%s was made by PostgreSQL %s; this Fairgate brings %s. Dump it with the old one and load it into an empty data folder."
              .formatted(data, version, MAJOR));
    }
    // No engine runs on this data (the supervisor has checked), but after a crash the pid in this
    // file may belong to another process, and PostgreSQL would refuse to start.
    Files.deleteIfExists(data.resolve("postmaster.pid"));
    List<String> command = new ArrayList<>();
    command.addAll(List.of(programs.resolve("bin/postgres").toString(), "-D", data.toString()));
    for (String setting : settings()) {
      command.addAll(List.of("-c", setting));
    }
    return home.user().command(command);
  }

  private List<String> settings() {
    return List.of(
        "listen_addresses=127.0.0.1",
        "port=" + port,
        "unix_socket_directories=",
        "max_connections=100",
        "shared_buffers=128MB",
        "wal_level=minimal",
        "max_wal_senders=0",
        "max_wal_size=512MB",
        "fsync=" + (options.postgresFsync() ? "on" : "off"),
        "full_page_writes=" + (options.postgresFsync() ? "on" : "off"),
        // Temporary data ends before a vacuum is worth its work.
        "autovacuum=" + (options.postgresFsync() ? "on" : "off"),
        "jit=off",
        "timezone=UTC",
        "log_timezone=UTC",
        "log_checkpoints=off",
        // Details and statements of errors contain user input.
        "log_error_verbosity=terse",
        "log_min_error_statement=panic",
        "logging_collector=off");
  }

  /// Creates an empty cluster with our database. An incomplete one never gets the final name.
  private void create() throws IOException {
    Path draft = home.folder().resolve("postgres-draft");
    Folders.delete(draft);
    Path made = home.subfolder("postgres-draft");
    Path secret = made.resolve("password");
    Files.writeString(secret, password);
    home.user().own(secret);
    Path cluster = made.resolve("cluster");
    run(
        "",
        programs.resolve("bin/initdb").toString(),
        "--pgdata=" + cluster,
        "--username=" + NAME,
        "--pwfile=" + secret,
        // SCRAM computes 8,192 hashes for each connection, which temporary data need not pay.
        "--auth=" + (options.postgresFsync() ? "scram-sha-256" : "password"),
        "--encoding=UTF8",
        "--locale=C",
        options.postgresFsync() ? "--sync-method=fsync" : "--no-sync",
        "--no-instructions");
    run(
        "CREATE DATABASE " + NAME + "\n",
        programs.resolve("bin/postgres").toString(),
        "--single",
        "-D",
        cluster.toString(),
        "postgres");
    Files.move(cluster, data);
    Folders.delete(draft);
  }

  private void run(String input, String... command) {
    Shell.Result result = Shell.run(home.user().command(List.of(command)), input);
    if (!result.ok()) {
      throw new EngineFailed("PostgreSQL could not make its data folder:\n" + result.output());
    }
  }

  private static String password(Path file) throws IOException {
    if (!Files.exists(file)) {
      byte[] random = new byte[24];
      new SecureRandom().nextBytes(random);
      Path draft = file.resolveSibling("draft");
      Files.writeString(draft, HexFormat.of().formatHex(random));
      Files.move(draft, file);
    }
    return Files.readString(file).strip();
  }
}
