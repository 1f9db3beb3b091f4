package fairgate.app.data;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.TestDatabase;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Every table is classified in `docs/operate/data.md`: what it says about people, how long that is
/// kept, and how it is erased.
class PersonalDataTest {
  private static final Path PAGE = Path.of("../docs/operate/data.md");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (`[^|]+`) \\| [^|]+ \\| [^|]+ \\| [^|]+ \\|$");
  private static final Pattern TABLE = Pattern.compile("`(\\w+)`");

  @Test
  void everyTableIsClassified() throws IOException {
    Set<String> listed =
        ROW.matcher(Files.readString(PAGE))
            .results()
            .flatMap(row -> TABLE.matcher(row.group(1)).results())
            .map(match -> match.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(listed).isEqualTo(tables());
  }

  private static Set<String> tables() {
    PostgresAddress at = TestEngines.shared().freshDatabase();
    Vertx vertx = Vertx.vertx();
    try (PostgresDatabase database = TestDatabase.open(vertx, at, 2)) {
      return database.reading(
          db ->
              db.query("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'").stream()
                  .map(row -> row.getString(0))
                  .collect(Collectors.toCollection(TreeSet::new)));
    } finally {
      var _ = vertx.close();
    }
  }
}
