package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.platform.text.CellText;
import fairgate.platform.text.CsvFile;
import fairgate.platform.text.CsvFile.InvalidCsv;
import fairgate.platform.text.CsvText;
import fairgate.platform.text.SpreadsheetCsv;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/// Files as programs write them: encodings, separators, quotation marks.
class CsvFileTest {
  private static CsvText.Source source(byte[] bytes) {
    return () -> new ByteArrayInputStream(bytes);
  }

  private CsvText text(byte[] bytes) throws IOException, InvalidCsv {
    return CsvText.of(source(bytes), "");
  }

  private List<List<String>> rows(String content) throws IOException, InvalidCsv {
    return read(text(content.getBytes(StandardCharsets.UTF_8)));
  }

  private static List<List<String>> read(CsvText text) throws IOException, InvalidCsv {
    List<List<String>> rows = new ArrayList<>();
    CsvFile.of(text).read((_, cells) -> rows.add(List.copyOf(cells)));
    return rows;
  }

  @Test
  void everyEncodingIsFoundOut() throws Exception {
    String content = "订单号,状态\n1,已完成\n";
    for (String name : List.of("UTF-8", "GBK", "GB18030")) {
      CsvText text = text(content.getBytes(Charset.forName(name)));
      assertThat(text.charset().name()).isEqualTo(name.equals("UTF-8") ? "UTF-8" : "GB18030");
      assertThat(read(text)).containsExactly(List.of("订单号", "状态"), List.of("1", "已完成"));
    }
    for (String name : List.of("UTF-8", "UTF-16LE", "UTF-16BE", "GB18030")) {
      CsvText text = text(("\ufeff" + content).getBytes(Charset.forName(name)));
      assertThat(text.charset().name()).isEqualTo(name);
      assertThat(read(text).getFirst()).containsExactly("订单号", "状态");
    }
    CsvText bare = text("order_id,status\n1,paid\n".getBytes(StandardCharsets.UTF_16LE));
    assertThat(bare.charset()).isEqualTo(StandardCharsets.UTF_16LE);
    CsvText named =
        CsvText.of(source(content.getBytes(Charset.forName("Big5-HKSCS"))), "Big5-HKSCS");
    assertThat(named.charset().name()).isEqualTo("Big5-HKSCS");
  }

  @Test
  void whatIsWrongFarBehindTheBeginningIsNoticed() {
    byte[] bytes = ("a,b\n" + "x,y\n".repeat(100_000)).getBytes(StandardCharsets.UTF_8);
    bytes[300_001] = (byte) 0xff;
    assertThatThrownBy(() -> text(bytes)).isInstanceOf(InvalidCsv.class);
    bytes[300_001] = 0;
    assertThatThrownBy(() -> text(bytes)).isInstanceOf(InvalidCsv.class);
  }

  @Test
  void aFaultIsToldWithItsRow() throws Exception {
    String rows =
        "\ufeff订单号,备注\n1,\"two\nlines, \"\"3\"\" and 5\"\" disks\"\n2,5\"\" x\r\n3,已付款?\n4,y\n";
    for (String name : List.of("UTF-8", "GBK")) {
      String text = name.equals("GBK") ? rows.substring(1) : rows;
      byte[] bytes = text.replace("?", "\0").getBytes(Charset.forName(name));
      assertThat(refusal(bytes)).as(name).isEqualTo("csv_control[4]");
    }
    byte[] damaged = rows.getBytes(StandardCharsets.UTF_8);
    int at = rows.substring(0, rows.indexOf('?')).getBytes(StandardCharsets.UTF_8).length;
    damaged[at] = (byte) 0xff;
    assertThat(refusal(damaged)).isEqualTo("csv_damaged[4, %d]".formatted(at + 1));
    assertThat(refusal(new byte[] {'P', 'K', 3, 4, 20, 0, 6, 0, 8, 0, 0, 0})).startsWith("csv_enc");
  }

  @Test
  void aRowThatIsTooLongIsNotAnOpenQuotationMark() {
    for (String row : List.of("2,", "\"2\",")) {
      byte[] bytes = ("a,b\n1,x\n" + row + "y".repeat(5_000_000)).getBytes(StandardCharsets.UTF_8);
      assertThat(refusal(bytes)).isEqualTo("csv_long_row[3, 131072]");
    }
  }

  private String refusal(byte[] bytes) {
    try {
      return "not refused: " + read(text(bytes)).size();
    } catch (InvalidCsv refused) {
      return refused.problemKey() + refused.arguments();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void separatorsAreFoundOutAndQuotedFieldsKeepTheirs() throws Exception {
    assertThat(rows("a;b;\"c;d\"\r\n1;2;\"3\"\"4\""))
        .containsExactly(List.of("a", "b", "c;d"), List.of("1", "2", "3\"4"));
    assertThat(rows("a\tb,c\td\n1\t2\t3"))
        .containsExactly(List.of("a", "b,c", "d"), List.of("1", "2", "3"));
    assertThat(rows("sep=;\r\na;b\r\n1;2")).containsExactly(List.of("a", "b"), List.of("1", "2"));
    assertThat(rows("a,b\n\"1\n2\",3\n")).containsExactly(List.of("a", "b"), List.of("1\n2", "3"));
    assertThat(rows("sep=;\ra;b\r1;2\r")).containsExactly(List.of("a", "b"), List.of("1", "2"));
    assertThat(rows("a;b;c\r1,0;2,5;3,1,1,1\r"))
        .containsExactly(List.of("a", "b", "c"), List.of("1,0", "2,5", "3,1,1,1"));
    assertThat(rows("a,b\r1,2\r")).containsExactly(List.of("a", "b"), List.of("1", "2"));
  }

  @Test
  void theHeaderMayStandBelowTitles() throws Exception {
    for (String title :
        List.of("", "Orders, by day\n", "订单报表,,,\r\n\r\n", "\"two\nlines\"\nx;y;z\n")) {
      CsvText text = text((title + "id;state\n1;paid\n").getBytes(StandardCharsets.UTF_8));
      List<List<String>> rows = new ArrayList<>();
      CsvFile file = CsvFile.of(text).fromHeader(cells -> cells.contains("state"));
      file.read((number, cells) -> rows.add(List.of(number + ":" + String.join("|", cells))));
      int at = file.headerRow();
      assertThat(rows)
          .as(title)
          .containsExactly(List.of(at + ":id|state"), List.of(at + 1 + ":1|paid"));
    }
    CsvFile none = CsvFile.of(text("a,b\n1,2\n".getBytes(StandardCharsets.UTF_8)));
    assertThat(none.fromHeader(_ -> false)).isEqualTo(none);
  }

  @Test
  void rowsMayBeShorterAndLongerThanTheHeader() throws Exception {
    assertThat(rows("a,b\n1\n\n1,2,3\n"))
        .containsExactly(List.of("a", "b"), List.of("1"), List.of(""), List.of("1", "2", "3"));
  }

  @Test
  void aQuotationMarkThatIsNeverClosedDoesNotEatTheFile() {
    String content = "a,b\n1,2\n\"3,4\n" + "5,6\n".repeat(100_000);
    assertThatThrownBy(() -> rows(content))
        .isInstanceOfSatisfying(
            InvalidCsv.class,
            e -> assertThat(e.problemKey() + e.arguments()).isEqualTo("csv_quotes[3]"));
  }

  @Property(tries = 300)
  void noBytesWhateverMakeItFailOtherwiseThanByRefusal(@ForAll("files") byte[] bytes)
      throws IOException {
    try {
      FileSummary look = FileSummary.at(source(bytes), ImportOptions.defaults());
      assertThat(look.rows()).isPositive();
    } catch (InvalidCsv refused) {
      assertThat(refused.problemKey()).startsWith("csv_");
    }
  }

  @Provide
  Arbitrary<byte[]> files() {
    Arbitrary<byte[]> noise = Arbitraries.bytes().array(byte[].class).ofMaxSize(400);
    Arbitrary<byte[]> alike =
        Arbitraries.strings()
            .withChars("order_id,status,product_id\"\n\r\t;'=0123456789订单号 \ufeff")
            .ofMaxLength(300)
            .map(s -> ("order_id,product_id,status\n" + s).getBytes(StandardCharsets.UTF_8));
    return Arbitraries.oneOf(noise, alike);
  }

  @Test
  void cellsAreFreedFromWhatSpreadsheetsPutAroundThem() {
    assertThat(CellText.clean("\ufeff ='1'")).isEqualTo("='1'");
    assertThat(CellText.clean("=\"3211\"")).isEqualTo("3211");
    assertThat(CellText.clean("'3211\t")).isEqualTo("3211");
    assertThat(CellText.clean("\u200b32\u00a011\u3000")).isEqualTo("32 11");
    assertThat(CellText.heading(" 商家应收金额(元)（支付金额） ")).isEqualTo("商家应收金额");
    assertThat(CellText.heading("Order_ID")).isEqualTo("order_id");
  }

  @Test
  void nothingBecomesAFormula() {
    for (String bad : List.of("=1+1", "+1", "-1", "@x", "=1", "|calc")) {
      String written = SpreadsheetCsv.text(List.of(List.of(bad))).strip();
      assertThat(CellText.clean(written)).isEqualTo(bad);
    }
  }
}
