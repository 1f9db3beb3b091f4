package fairgate.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvLineTest {
  @Test
  void cellsAreQuotedWhereTheyMustBe() {
    assertThat(CsvLine.of("plain", null, "", "a,b", "say \"hi\"", "two\nlines", "門票"))
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
  void whatASpreadsheetWouldRunBeginsWithAnApostrophe(String cell) {
    assertThat(CsvLine.of(cell)).matches("(?s)\"?'.*");
  }

  @Test
  void everythingElseIsLeftAsItIs() {
    assertThat(CsvLine.of("a=b", "1", "2026-11-21", "Mozilla/5.0 (X11)"))
        .isEqualTo("a=b,1,2026-11-21,Mozilla/5.0 (X11)\r\n");
  }
}
