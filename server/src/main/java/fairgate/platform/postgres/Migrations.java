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
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/// The numbered changes of the schema, `V0001__name.sql` and on, applied by Flyway.
///
/// Flyway costs half a second and a JDBC driver, so it is started only when the schema's own record
/// does not name exactly the changes this server brings.
final class Migrations {
  private static final String FOLDER = "fairgate/platform/postgres";
  private static final String FIRST = "V0001__sale.sql";
  private static final Pattern FILE = Pattern.compile("V(\\d+)__\\w+\\.sql");
  private static final String RECORD = "SELECT to_regclass('flyway_schema_history') IS NOT NULL";
  private static final String APPLIED =
      "SELECT version FROM flyway_schema_history WHERE success AND version IS NOT NULL";

  private final PostgresSettings settings;
  private final PostgresDatabase database;

  Migrations(PostgresSettings settings, PostgresDatabase database) {
    this.settings = settings;
    this.database = database;
  }

  void run() {
    if (applied().containsAll(known())) {
      return;
    }
    String url =
        "jdbc:postgresql://%s:%d/%s?connectTimeout=3&socketTimeout=60&ApplicationName=fairgate"
            .formatted(settings.host(), settings.port(), settings.database());
    try {
      Flyway.configure()
          .dataSource(url, settings.user(), settings.password())
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

  /// The versions that lie as resources beside this class, in a folder or in a jar.
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
