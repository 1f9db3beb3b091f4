package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files of orders on a real PostgreSQL.
@Tag("slow")
class ImportServiceTest {
  @TempDir Path spool;
  private ImportTestServer desk;

  @BeforeEach
  void open() {
    desk = ImportTestServer.open(spool);
  }

  @AfterEach
  void close() {
    desk.close();
  }

  @Test
  void ordersComeInWithEverythingTheHeaderNames() {
    ImportJob job =
        desk.take(
            "TB20260108123456789,basic,taobao,99.50,paid,"
                + ImportTestServer.PAID
                + ",2027-01-01T00:00:00Z,",
            "P123456789012345678,standard,,\"1,299.00\",pending,,,",
            "XHS202601080001,basic,xiaohongshu,,cancelled,,,");
    assertThat(job.state()).isEqualTo(ImportJob.State.DONE);
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(3, 0, 0, 0, 0, 0));
    assertThat(job.rowsDone()).isEqualTo(job.rowsTotal()).isEqualTo(3);
    assertThat(desk.orders())
        .containsExactly(
            "taobao TB20260108123456789 basic 9950 CNY paid",
            "xiaohongshu P123456789012345678 standard 129900 CNY pending",
            "xiaohongshu XHS202601080001 basic cancelled");
    assertThat(spool).isEmptyDirectory();
  }

  @Test
  void theSameFileAgainDoesNothing() {
    ImportJob first = desk.take(ImportTestServer.row(1, "paid"), ImportTestServer.row(2, "paid"));
    ImportService.ImportOutcome again =
        desk.submit(
            ImportTestServer.HEADER
                + ImportTestServer.row(1, "paid")
                + "\n"
                + ImportTestServer.row(2, "paid"),
            ImportOptions.defaults());
    assertThat(again).isEqualTo(new ImportService.ImportOutcome.Repeated(first));
    assertThat(desk.imports.newest(10)).hasSize(1);
  }

  @Test
  void aNewerFileAddsUpdatesAndLeavesAlone() {
    desk.take(ImportTestServer.row(1, "pending"), ImportTestServer.row(2, "paid"));
    ImportJob job =
        desk.take(
            ImportTestServer.row(1, "paid"),
            ImportTestServer.row(2, "paid"),
            ImportTestServer.row(3, "paid"));
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(1, 1, 1, 0, 0, 0));
    assertThat(desk.orders()).hasSize(3).allMatch(order -> order.endsWith("paid"));
  }

  @Test
  void duplicatesCountOnceNearAndFar() {
    String[] rows = new String[23];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = ImportTestServer.row(i, "paid");
    }
    rows[1] = rows[0];
    rows[21] = rows[0];
    rows[3] = ImportTestServer.row(2, "pending");
    rows[22] = ImportTestServer.row(2, "refunded");
    ImportJob job = desk.take(rows);
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(19, 0, 0, 2, 2, 0));
    assertThat(desk.orders()).contains("taobao TB0000000000002 basic 9950 CNY paid");
    assertThat(desk.errors(job).subList(1, 3))
        .allMatch(line -> line.contains("stands in this file before, with other content"));
  }

  @Test
  void refusedRowsAreGivenBackWithTheirNumberAndWhatToDo() {
    ImportJob job =
        desk.take(
            ImportTestServer.row(1, "paid"),
            "3.21106E+18,basic,taobao,1,paid,,,",
            "3211058044792473000,basic,taobao,1,paid,,,",
            "",
            "TB0000000000009,gold,taobao,1,paid,,,",
            "TB0000000000008,basic,taobao,1,=cmd|' /C calc'!A0,,,",
            "1234567890123456789,basic,,1,paid,,,",
            "TB0000000000007,basic,taobao,1,paid,2026-01-08 12:30:00,,",
            "TB0000000000006,basic,taobao,one,unheard,,,",
            ",basic,taobao,1,paid,,,",
            "DY000000000001,basic,taobao,1,paid,,,",
            "order_1_00000000000000000000000001,basic,fairgate,1,paid,,,");
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(1, 0, 0, 0, 10, 1));
    List<String> errors = desk.errors(job);
    assertThat(errors.getFirst())
        .isEqualTo(
            "row,problem,order_id,product_id,platform,amount,status,paid_at,expires_at,code");
    assertThat(errors).hasSize(11);
    assertThat(errors.get(1)).startsWith("3,\"Excel has turned").contains("3.21106E+18");
    assertThat(errors.get(2)).startsWith("4,\"3211058044792473000 ends with 3 zeros");
    assertThat(errors.get(3)).startsWith("6,").contains("There is no product gold");
    assertThat(errors.get(4)).startsWith("7,").contains(",'=cmd|' /C calc'!A0,");
    assertThat(errors.get(5)).startsWith("8,").contains("taobao, douyin");
    assertThat(errors.get(6)).startsWith("9,").contains("does not say its time zone");
    assertThat(errors.get(7)).startsWith("10,").contains("unheard is not a known status");
    assertThat(errors.get(8)).startsWith("11,The order number is missing");
    assertThat(errors.get(9)).startsWith("12,").contains("of taobao");
    assertThat(errors.get(10)).startsWith("13,").contains("fairgate is not a platform");
  }

  @Test
  void aMendedErrorFileCanBeHandedIn() {
    ImportJob first = desk.take("TB0000000000001,gold,taobao,1,paid,,,");
    String mended = "\ufeff" + String.join("\r\n", desk.errors(first)).replace(",gold,", ",basic,");
    ImportJob second = desk.take(mended, ImportOptions.defaults());
    assertThat(second.counts()).isEqualTo(ImportTestServer.counts(1, 0, 0, 0, 0, 0));
  }

  @Test
  void orderNumbersOfAMendedErrorFileSurviveASpreadsheet() {
    ImportJob first =
        desk.take(
            "524114000000000123,gold,taobao,1,paid,,,",
            "\"=\"\"3211058044792473088\"\"\",gold,taobao,1,paid,,,");
    List<String> errors = desk.errors(first);
    assertThat(errors.get(1)).contains(",'524114000000000123,");
    String mended = "\ufeff" + String.join("\r\n", errors).replace(",gold,", ",basic,");
    assertThat(desk.take(mended, ImportOptions.defaults()).counts().added()).isEqualTo(2);
    assertThat(desk.orders())
        .containsExactly(
            "taobao 3211058044792473088 basic 100 CNY paid",
            "taobao 524114000000000123 basic 100 CNY paid");
  }

  @Test
  void aFileWithRowsRefusedIsTriedAnewWhenItComesAgain() throws Exception {
    ImportJob first =
        desk.take(ImportTestServer.row(1, "paid"), "TB0000000000002,gold,taobao,1,paid,,,");
    ImportJob again =
        desk.take(ImportTestServer.row(1, "paid"), "TB0000000000002,gold,taobao,1,paid,,,");
    assertThat(first.counts()).isEqualTo(ImportTestServer.counts(1, 0, 0, 0, 1, 0));
    assertThat(again.id()).isEqualTo(first.id());
    assertThat(again.counts()).isEqualTo(ImportTestServer.counts(0, 0, 1, 0, 1, 0));
    assertThat(desk.errors(again)).hasSize(2);
    assertThat(again.run()).isEqualTo(2);
    assertThat(first.earlierRuns()).isEqualTo("[]");
    JsonNode before = new ObjectMapper().readTree(again.earlierRuns()).path(0);
    assertThat(before.path("run").asInt()).isEqualTo(1);
    assertThat(before.path("added").asInt()).isEqualTo(1);
    assertThat(before.path("unchanged").asInt()).isZero();
    assertThat(before.path("refused").asInt()).isEqualTo(1);
    assertThat(before.path("state").asText()).isEqualTo("done");
    assertThat(before.path("actor").asText()).isEqualTo("tester");
    assertThat(OffsetDateTime.parse(before.path("finished_at").asText()).toInstant())
        .isEqualTo(first.finishedAt());
  }

  @Test
  void theReportsOfTheFirstRunAndOfTheLatestAreKept() throws Exception {
    ImportJob last = desk.take("TB0000000000001,gold,taobao,1,paid,,,");
    for (int run = 2; run <= 24; run++) {
      last = desk.take("TB0000000000001,gold,taobao,1,paid,,,");
    }
    List<String> runs = new ObjectMapper().readTree(last.earlierRuns()).findValuesAsText("run");
    assertThat(last.run()).isEqualTo(24);
    assertThat(runs).hasSize(20).startsWith("1", "5").endsWith("22", "23");
  }

  @Test
  void aDryRunWritesNothingAndTellsTheSame() {
    desk.take(ImportTestServer.row(1, "pending"), ImportTestServer.row(2, "paid"));
    String file =
        ImportTestServer.HEADER
            + String.join(
                "\n",
                ImportTestServer.row(1, "paid"),
                ImportTestServer.row(2, "paid"),
                ImportTestServer.row(3, "paid"),
                ImportTestServer.row(3, "paid"),
                "x,basic");
    ImportOptions dry = new ImportOptions("", "", "", "CNY", "", "", Map.of(), "", false, true);
    ImportJob rehearsed = desk.take(file, dry);
    assertThat(rehearsed.dryRun()).isTrue();
    assertThat(desk.orders()).hasSize(2).anyMatch(order -> order.endsWith("pending"));
    ImportJob real = desk.take(file, ImportOptions.defaults());
    assertThat(real.counts())
        .isEqualTo(rehearsed.counts())
        .isEqualTo(ImportTestServer.counts(1, 1, 1, 1, 1, 0));
    assertThat(desk.take(file, dry).counts()).isEqualTo(ImportTestServer.counts(0, 0, 3, 1, 1, 0));
  }
}
