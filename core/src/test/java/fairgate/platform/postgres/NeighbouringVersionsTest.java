package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Migrations after release 0.1.0 leave the release before a schema that it can work with, or raise
/// `data_compatibility.minimum`; see ADR 0065.
class NeighbouringVersionsTest {
  private static final Path MIGRATIONS =
      Path.of("../core/src/main/resources/fairgate/platform/postgres/schema");

  /// The files of release 0.1.0, one for each feature, have lower numbers.
  private static final int FIRST = 300;

  private static final Pattern NUMBER = Pattern.compile("V(\\d+)__.*");
  private static final Pattern COMMENT = Pattern.compile("--.*");
  private static final Pattern MINIMUM =
      Pattern.compile("(?i)UPDATE\\s+data_compatibility\\s+SET\\s+minimum");

  /// Takes away, renames, or makes stricter.
  private static final Pattern BREAKS =
      Pattern.compile(
          "(?i)\\bDROP\\s+(TABLE|COLUMN|VIEW|FUNCTION|TYPE|SEQUENCE)\\b|\\bRENAME\\b"
              + "|\\bALTER\\s+(COLUMN\\s+)?\\w+\\s+SET\\s+NOT\\s+NULL\\b"
              + "|\\bADD\\s+COLUMN\\b(?![^,;]*\\bDEFAULT\\b)[^,;]*\\bNOT\\s+NULL\\b"
              + "|\\bADD\\s+(CONSTRAINT\\s+\\w+\\s+)?(CHECK|UNIQUE|FOREIGN)\\b");

  private static boolean isBearable(String sql) {
    String statements = COMMENT.matcher(sql).replaceAll("");
    return MINIMUM.matcher(statements).find() || !BREAKS.matcher(statements).find();
  }

  @Test
  void theReleaseBeforeBearsEveryMigration() throws IOException {
    try (Stream<Path> files = Files.list(MIGRATIONS)) {
      List<Path> all = files.toList();
      assertThat(all).hasSizeGreaterThan(10);
      for (Path file : all) {
        Matcher number = NUMBER.matcher(file.getFileName().toString());
        if (number.matches() && Integer.parseInt(number.group(1)) >= FIRST) {
          assertThat(isBearable(Files.readString(file))).as(file.toString()).isTrue();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE orders DROP COLUMN note;",
        "DROP TABLE receipts;",
        "ALTER TABLE orders RENAME COLUMN note TO remark;",
        "ALTER TABLE orders ALTER COLUMN note SET NOT NULL;",
        "ALTER TABLE orders ADD COLUMN note text NOT NULL;",
        "ALTER TABLE orders ADD CONSTRAINT noted CHECK (note <> '');",
      })
  void aStepThatTheReleaseBeforeCannotBearNeedsAHigherMinimum(String sql) {
    assertThat(isBearable(sql)).isFalse();
    assertThat(isBearable(sql + "\nUPDATE data_compatibility SET minimum = 301;")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE notes (id bigint NOT NULL CHECK (id > 0));",
        "ALTER TABLE orders ADD COLUMN note text;",
        "ALTER TABLE orders ADD COLUMN note text NOT NULL DEFAULT '', ADD COLUMN other text;",
        "CREATE INDEX orders_note ON orders (note);",
        "-- Later, DROP COLUMN note.",
        "ALTER TABLE orders DROP CONSTRAINT noted;",
      })
  void whatOnlyAddsOrLoosensIsBorne(String sql) {
    assertThat(isBearable(sql)).isTrue();
  }
}
