package fairgate.platform.postgres;

import fairgate.kernel.ServiceUnavailable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The schema migrations, `V0001__name.sql` and following, applied by Flyway.
///
/// Flyway costs half a second and a JDBC driver, so it is started only when a migration of this
/// build is missing from the schema history.
final class Migrations {
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);
  static final String FOLDER = "fairgate/platform/postgres";
  private static final String FIRST = "V0001__sale.sql";
  private static final Pattern FILE = Pattern.compile("V(\\d+)__\\w+\\.sql");
  private static final String RECORD = "SELECT to_regclass('flyway_schema_history') IS NOT NULL";
  private static final String APPLIED =
      "SELECT version FROM flyway_schema_history WHERE success AND version IS NOT NULL";

  private static final String COMPATIBILITY =
      "SELECT to_regclass('data_compatibility') IS NOT NULL";
  private static final String MINIMUM = "SELECT minimum FROM data_compatibility";

  private final PostgresSettings settings;
  private final PostgresDatabase database;

  Migrations(PostgresSettings settings, PostgresDatabase database) {
    this.settings = settings;
    this.database = database;
  }

  /// Applies missing migrations. Throws DataTooNew when the database requires a newer build.
  void run() {
    Set<String> applied = applied();
    compare(applied);
    if (applied.containsAll(known())) {
      return;
    }
    try {
      Flyway.configure()
          .dataSource(settings.jdbcUrl(), settings.user(), settings.password())
          .locations("classpath:" + FOLDER)
          .loggers("slf4j")
          .load()
          .migrate();
    } catch (FlywayException e) {
      if (String.valueOf(e.getMessage()).contains("Unable to obtain connection")) {
        throw new ServiceUnavailable("postgresql: " + e.getMessage(), Duration.ofSeconds(1));
      }
      throw e;
    }
  }

  /// Checks for migrations of a newer build.
  private void compare(Set<String> applied) {
    int own = known().stream().mapToInt(Integer::parseInt).max().orElseThrow();
    int minimum = minimum();
    if (minimum > own) {
      throw new DataTooNew(
          "The data are of a newer build: they take servers of schema version %d or later, and this"
                  .formatted(minimum)
              + " one has %d. Start the newer build, or restore a backup from before the upgrade"
                  .formatted(own)
              + " (docs/operate/upgrading.md).");
    }
    List<String> newer =
        applied.stream().filter(version -> Integer.parseInt(version) > own).toList();
    if (!newer.isEmpty()) {
      LOG.warn(
          "A newer build has changed the data; this older one can work on them. Start the newer"
              + " build on every node; schemaVersion={} newer={}",
          own,
          newer);
    }
  }

  private int minimum() {
    return database.reading(
        db ->
            db.query(COMPATIBILITY).getFirst().getBoolean(0)
                ? db.query(MINIMUM).stream().mapToInt(row -> row.getInteger(0)).max().orElse(0)
                : 0);
  }

  private Set<String> applied() {
    return database.reading(
        db -> {
          Set<String> versions = new TreeSet<>();
          if (db.query(RECORD).getFirst().getBoolean(0)) {
            db.query(APPLIED).forEach(row -> versions.add(row.getString(0)));
          }
          return versions;
        });
  }

  /// The versions of the migrations in this build, from a folder or a jar.
  static Set<String> known() {
    URL first = Migrations.class.getResource(FIRST);
    if (first == null) {
      throw new IllegalStateException("the migrations are missing from this build");
    }
    try {
      URI uri = first.toURI();
      if (uri.getScheme().equals("jar")) {
        try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
          return versions(jar.getPath(FOLDER));
        }
      }
      return versions(Path.of(uri).resolveSibling("."));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Set<String> versions(Path folder) throws IOException {
    Set<String> versions = new TreeSet<>();
    try (Stream<Path> files = Files.list(folder)) {
      files.forEach(
          file -> {
            Matcher name = FILE.matcher(String.valueOf(file.getFileName()));
            if (name.matches()) {
              versions.add(name.group(1));
            }
          });
    }
    return versions;
  }
}
