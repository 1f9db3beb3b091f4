package fairgate.platform.postgres;

import fairgate.kernel.ServiceUnavailable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The schema, applied by Flyway: one file for each feature, `V0201__platform.sql` and following,
/// then the migrations since release 0.1.0, `V0300__name.sql` and following.
///
/// Flyway costs half a second and a JDBC driver, so it is started only when a file of this build is
/// missing from the schema history.
record Migrations(PostgresSettings settings, PostgresDatabase database) {
  private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);
  static final String FOLDER = "fairgate/platform/postgres/schema";
  private static final String FIRST = "schema/V0201__platform.sql";
  private static final Pattern FILE = Pattern.compile("V(\\d+)__\\w+\\.sql");
  private static final String RECORD = "SELECT to_regclass('flyway_schema_history') IS NOT NULL";
  private static final String APPLIED =
      """
      SELECT version, coalesce(checksum, 0) AS checksum FROM flyway_schema_history
      WHERE success AND version IS NOT NULL
      """;

  private static final String COMPATIBILITY =
      "SELECT to_regclass('data_compatibility') IS NOT NULL";
  private static final String MINIMUM = "SELECT minimum FROM data_compatibility";

  /// Applies missing migrations. Throws IncompatibleData when the database requires a newer build,
  /// or has the schema of a build from before release 0.1.0.
  void run() {
    SortedMap<String, Integer> known = known();
    SortedMap<String, Integer> applied = applied();
    compare(known, applied);
    if (applied.keySet().containsAll(known.keySet())) {
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

  private void compare(Map<String, Integer> known, SortedMap<String, Integer> applied) {
    int own = known.keySet().stream().mapToInt(Integer::parseInt).max().orElseThrow();
    int minimum = minimum();
    if (minimum > own) {
      throw new IncompatibleData(
          "The data are of a newer build: they take servers of schema version %d or later, and this"
                  .formatted(minimum)
              + " one has %d. Start the newer build, or restore a backup from before the upgrade"
                  .formatted(own)
              + " (docs/operate/upgrading.md).");
    }
    List<String> newer = new ArrayList<>();
    List<String> foreign = new ArrayList<>();
    applied.forEach(
        (version, checksum) -> {
          if (Integer.parseInt(version) > own) {
            newer.add(version);
          } else if (!checksum.equals(known.get(version))) {
            foreign.add(version);
          }
        });
    if (!foreign.isEmpty()) {
      throw new IncompatibleData(
          "The database has the tables of another build from before release 0.1.0 (schema version"
              + " %s), which this build cannot use. Nothing was changed."
                  .formatted(foreign.getLast())
              + " Start the build that wrote them, or start this one with an empty database (`up`:"
              + " another folder, --data DIR); see docs/operate/upgrading.md.");
    }
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

  /// The applied versions with the checksums of their files.
  private SortedMap<String, Integer> applied() {
    return database.reading(
        db -> {
          SortedMap<String, Integer> versions = new TreeMap<>();
          if (db.query(RECORD).getFirst().getBoolean(0)) {
            db.query(APPLIED)
                .forEach(row -> versions.put(row.getString("version"), row.getInteger("checksum")));
          }
          return versions;
        });
  }

  /// The versions of this build with the checksums of their files, from a folder or a jar.
  static SortedMap<String, Integer> known() {
    URL first = Migrations.class.getResource(FIRST);
    if (first == null) {
      throw new IllegalStateException("the migrations are missing from this build");
    }
    try {
      URI uri = first.toURI();
      if (uri.getScheme().equals("jar")) {
        // By its path, not by `uri`: servers in one Java process may read it at the same time.
        URI file = ((JarURLConnection) first.openConnection()).getJarFileURL().toURI();
        try (FileSystem jar = FileSystems.newFileSystem(Path.of(file))) {
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

  private static SortedMap<String, Integer> versions(Path folder) throws IOException {
    SortedMap<String, Integer> versions = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Matcher name = FILE.matcher(String.valueOf(file.getFileName()));
        if (name.matches()) {
          versions.put(name.group(1), checksum(file));
        }
      }
    }
    return versions;
  }

  /// As Flyway computes it: the CRC-32 of the lines without their ends.
  private static int checksum(Path file) throws IOException {
    CRC32 crc = new CRC32();
    Files.readAllLines(file).forEach(line -> crc.update(line.getBytes(StandardCharsets.UTF_8)));
    return (int) crc.getValue();
  }
}
