package fairgate.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpreadsheetCsvTest {
  private static String line(@Nullable String... cells) {
    return SpreadsheetCsv.text(List.of(Arrays.asList(cells)));
  }

  @Test
  void cellsAreQuotedWhereTheyMustBe() {
    assertThat(line("plain", null, "", "a,b", "say \"hi\"", "two\nlines", "門票"))
        .isEqualTo("plain,,,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",門票\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "=1+1",
        "=HYPERLINK(\"http://x\")",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "|calc",
        "%0A",
        "＝1",
        "＋1",
        "－1",
        "＠x"
      })
  void formulasGetAnApostrophe(String cell) {
    assertThat(line(cell)).matches("(?s)\"?'.*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "524114000000000123",
        "123456789012",
        "1234567890123456789012",
        " 524114000000000123 ",
        "５２４１１４００００００００００００１",
        "524114000000000123.0",
        "0912345678",
        "00123",
        "12E45",
        "3e7",
        "1.5E10"
      })
  void numbersThatASpreadsheetWouldDamageAreKeptAsTextAndReadAgain(String cell) {
    String written = line(cell);
    assertThat(written).isEqualTo("'" + cell + "\r\n");
    assertThat(CellText.clean(written)).isEqualTo(cell.strip());
  }

  @ParameterizedTest
  @ValueSource(strings = {"=\"524114000000000123\"", "'524114000000000123", "0012", "=1+1"})
  void whatAFileHadAlreadyIsReadAsTheSameThroughAFurtherFile(String cell) {
    String again =
        CellText.clean(line(cell).strip().replaceAll("^\"|\"$", "").replace("\"\"", "\""));
    assertThat(again).isEqualTo(CellText.clean(cell));
  }

  @Test
  void otherCellsStayAsTheyAre() {
    assertThat(line("a=b", "1", "0", "0.5", "99.50", "2026-11-21", "TB0012", "Mozilla/5.0 (X11)"))
        .isEqualTo("a=b,1,0,0.5,99.50,2026-11-21,TB0012,Mozilla/5.0 (X11)\r\n");
  }
}
