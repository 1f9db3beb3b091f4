package fairgate.bench;

import fairgate.platform.postgres.PostgresSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Runs one SQL script with `pgbench`: 16 clients, prepared statements.
final class Pgbench {
  static final int CLIENTS = 16;

  private static final Pattern SPEED = Pattern.compile("tps = ([0-9.]+)");
  private static final Pattern FAILED = Pattern.compile("number of failed transactions: ([1-9].*)");

  private final PostgresSettings database;
  private final Path folder;
  private final String program;

  Pgbench(PostgresSettings database, Path folder) throws IOException {
    this.database = database;
    this.folder = folder;
    this.program = find();
  }

  /// Transactions per second.
  ///
  /// @param options of pgbench: `-T` seconds or `-t` transactions per client, and variables
  double run(String sql, String... options) throws IOException, InterruptedException {
    Path script = Files.writeString(folder.resolve("pgbench.sql"), sql);
    List<String> command = new ArrayList<>();
    command.addAll(List.of(program, "-n", "-M", "prepared", "-c", Integer.toString(CLIENTS)));
    command.addAll(List.of("-j", "2", "-h", database.host(), "-U", database.user()));
    command.addAll(List.of("-p", Integer.toString(database.port())));
    command.addAll(List.of(options));
    command.addAll(List.of("-f", script.toString(), database.database()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PGPASSWORD", database.password());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Matcher speed = SPEED.matcher(said);
    if (process.waitFor() != 0 || !speed.find() || FAILED.matcher(said).find()) {
      throw new IOException("pgbench:\n" + said);
    }
    return Double.parseDouble(speed.group(1));
  }

  /// Debian keeps it beside the server of its version, out of the search path.
  private static String find() throws IOException {
    for (String folder : String.valueOf(System.getenv("PATH")).split(":", -1)) {
      Path candidate = Path.of(folder, "pgbench");
      if (Files.isExecutable(candidate)) {
        return candidate.toString();
      }
    }
    Path versions = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(versions)) {
      try (Stream<Path> all = Files.list(versions)) {
        Path found =
            all.map(version -> version.resolve("bin/pgbench"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        if (found != null) {
          return found.toString();
        }
      }
    }
    throw new IOException("needs pgbench: apt-get install postgresql-contrib");
  }
}
