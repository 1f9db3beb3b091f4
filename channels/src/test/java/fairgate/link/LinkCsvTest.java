package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.platform.http.InvalidRequest;
import fairgate.platform.text.SpreadsheetCsv;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Files of links as programs and spreadsheets write them.
class LinkCsvTest {
  private static List<LinkCsv.Line> read(String text, Charset charset) {
    return LinkCsv.read(text.getBytes(charset), Set.of(), Instant.EPOCH);
  }

  private static List<LinkCsv.Line> read(String text) {
    return read(text, StandardCharsets.UTF_8);
  }

  @Test
  void separatorsEncodingsAndHeadingsAreThoseOfTheImportOfOrders() {
    for (String text :
        List.of(
            "URL,Code,备注\nhttps://example.com/a,spring-sale,春天\n",
            "code;url;备注\r\nspring-sale;https://example.com/a;春天\r\n",
            "备注\tUrl \tCODE\r春天\thttps://example.com/a\tspring-sale\r",
            "sep=;\nurl;code;max_visits;备注\n=\"https://example.com/a\";'spring-sale;-;春天\n",
            "链接一览,,\n\nurl,code,备注\nhttps://example.com/a,spring-sale,春天\n,,\n")) {
      for (String charset : List.of("UTF-8", "GBK", "UTF-16LE")) {
        String marked = charset.startsWith("UTF-16") ? "\ufeff" + text : text;
        List<LinkCsv.Line> lines = read(marked, Charset.forName(charset));
        assertThat(lines).as(text).hasSize(1);
        NewLink link = lines.getFirst().link().orElseThrow();
        assertThat(link.target().text()).as(text).isEqualTo("https://example.com/a");
        assertThat(link.code()).as(text).isEqualTo("spring-sale");
      }
    }
  }

  @Test
  void codesThatASpreadsheetWouldDamageAreReadAsTheyWereWritten() {
    String written =
        SpreadsheetCsv.text(
            List.of(
                List.of("url", "code", "max_visits"),
                List.of("https://example.com/a", "524114000000000123", "５"),
                List.of("https://example.com/b", "12e45", "")));
    assertThat(read(written))
        .extracting(line -> line.link().orElseThrow().code())
        .containsExactly("524114000000000123", "12e45");
  }

  @Test
  void filesWithoutLinksAreRefused() {
    for (String bad : List.of("", "url\n", "a,b\n1,2\n", "url\n\"https://example.com\n")) {
      assertThatThrownBy(() -> read(bad)).as(bad).isInstanceOf(InvalidRequest.class);
    }
  }
}
