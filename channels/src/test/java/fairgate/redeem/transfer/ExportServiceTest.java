package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Codes as files, on a real PostgreSQL.
@Tag("slow")
class ExportServiceTest {
  @TempDir Path spool;
  private ImportTestServer desk;

  @BeforeEach
  void open() {
    desk = ImportTestServer.open(spool);
    ImportJob job =
        desk.take(
            "TB0000000000001,basic,taobao,1,paid,,,CARD-0001",
            "TB0000000000002,standard,taobao,1,paid,,,=HYPERLINK(9)");
    assertThat(job.counts().added()).isEqualTo(2);
  }

  @AfterEach
  void close() {
    desk.close();
  }

  private interface Export {
    void write(OutputStream out) throws IOException;
  }

  private static List<String> lines(Export export) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    export.write(out);
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void masksByDefault() throws IOException {
    List<String> lines =
        lines(
            out ->
                desk.feature.exports().writeMasked(ExportService.ExportFilter.ALL, "tester", out));
    assertThat(lines)
        .containsExactly(
            "\ufefforder_id,platform,product_id,code,state,source,assigned_at,activated_at,expires_at",
            "TB****0001,taobao,basic,******0001,available,seller,,,",
            "TB****0002,taobao,standard,******" + "K(9)" + ",available,seller,,,");
    ExportService.ExportRecord record = desk.feature.exports().newest(5).getFirst();
    assertThat(record.masked()).isTrue();
    assertThat(record.codes()).isEqualTo(2);
  }

  @Test
  void wholeCodesLeaveForAReasonWhichIsKept() throws IOException {
    ExportService.ExportFilter filter = new ExportService.ExportFilter("standard", "available");
    List<String> lines =
        lines(out -> desk.feature.exports().writeFull(filter, "anna@10.0.0.1", "move", out));
    assertThat(lines).hasSize(2);
    assertThat(lines.get(1)).startsWith("TB0000000000002,taobao,standard,'=HYPERLINK(9),available");
    assertThat(desk.feature.exports().newest(5))
        .singleElement()
        .matches(record -> !record.masked() && record.actor().equals("anna@10.0.0.1"))
        .matches(record -> record.reason().equals("move") && record.filter().contains("standard"));
    assertThatThrownBy(
            () ->
                desk.feature.exports().writeFull(filter, "anna", " ", new ByteArrayOutputStream()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anExportThatBreaksOffStaysInTheRecord() {
    OutputStream gone =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("gone");
          }
        };
    assertThatThrownBy(
            () ->
                desk.feature
                    .exports()
                    .writeFull(ExportService.ExportFilter.ALL, "anna", "why", gone))
        .hasStackTraceContaining("gone");
    assertThat(desk.feature.exports().newest(5))
        .singleElement()
        .matches(record -> record.finishedAt().isEmpty() && record.codes() == null);
  }
}
