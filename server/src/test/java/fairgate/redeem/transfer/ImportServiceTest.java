package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files of orders on a real PostgreSQL.
class ImportServiceTest {
  private static final String PAID = "2026-01-08T12:30:00+08:00";

  @TempDir Path spool;
  private Desk desk;

  @BeforeEach
  void open() {
    desk = Desk.open(spool);
  }

  @AfterEach
  void close() {
    desk.close();
  }

  private static String row(long number, String status) {
    return "TB%013d,basic,taobao,99.50,%s,%s,,".formatted(number, status, PAID);
  }

  private static String rows(int count) {
    return Desk.HEADER
        + IntStream.range(0, count).mapToObj(i -> row(i, "paid")).collect(Collectors.joining("\n"));
  }

  private static ImportJob.Counts counts(
      long added, long updated, long unchanged, long duplicates, long refused, long blank) {
    return new ImportJob.Counts(added, updated, unchanged, duplicates, refused, blank);
  }

  @Test
  void ordersComeInWithEverythingTheHeaderNames() {
    ImportJob job =
        desk.take(
            "TB20260108123456789,basic,taobao,99.50,paid," + PAID + ",2027-01-01T00:00:00Z,",
            "P123456789012345678,standard,,\"1,299.00\",pending,,,",
            "XHS202601080001,basic,xiaohongshu,,cancelled,,,");
    assertThat(job.state()).isEqualTo(ImportJob.State.DONE);
    assertThat(job.counts()).isEqualTo(counts(3, 0, 0, 0, 0, 0));
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
    ImportJob first = desk.take(row(1, "paid"), row(2, "paid"));
    ImportOutcome again =
        desk.submit(Desk.HEADER + row(1, "paid") + "\n" + row(2, "paid"), ImportOptions.defaults());
    assertThat(again).isEqualTo(new ImportOutcome.Repeated(first));
    assertThat(desk.imports.newest(10)).hasSize(1);
  }

  @Test
  void aNewerFileAddsUpdatesAndLeavesAlone() {
    desk.take(row(1, "pending"), row(2, "paid"));
    ImportJob job = desk.take(row(1, "paid"), row(2, "paid"), row(3, "paid"));
    assertThat(job.counts()).isEqualTo(counts(1, 1, 1, 0, 0, 0));
    assertThat(desk.orders()).hasSize(3).allMatch(order -> order.endsWith("paid"));
  }

  @Test
  void duplicatesCountOnceNearAndFar() {
    String[] rows = new String[23];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = row(i, "paid");
    }
    rows[1] = rows[0];
    rows[21] = rows[0];
    rows[3] = row(2, "pending");
    rows[22] = row(2, "refunded");
    ImportJob job = desk.take(rows);
    assertThat(job.counts()).isEqualTo(counts(19, 0, 0, 2, 2, 0));
    assertThat(desk.orders()).contains("taobao TB0000000000002 basic 9950 CNY paid");
    assertThat(desk.errors(job).subList(1, 3))
        .allMatch(line -> line.contains("stands in this file before, with other content"));
  }

  @Test
  void refusedRowsAreGivenBackWithTheirNumberAndWhatToDo() {
    ImportJob job =
        desk.take(
            row(1, "paid"),
            "3.21106E+18,basic,taobao,1,paid,,,",
            "3211058044792473000,basic,taobao,1,paid,,,",
            "",
            "TB0000000000009,gold,taobao,1,paid,,,",
            "TB0000000000008,basic,taobao,1,=cmd|' /C calc'!A0,,,",
            "1234567890123456789,basic,,1,paid,,,",
            "TB0000000000007,basic,taobao,1,paid,2026-01-08 12:30:00,,",
            "TB0000000000006,basic,taobao,one,paid,,,",
            ",basic,taobao,1,paid,,,",
            "DY000000000001,basic,taobao,1,paid,,,",
            "order_1_00000000000000000000000001,basic,fairgate,1,paid,,,");
    assertThat(job.counts()).isEqualTo(counts(1, 0, 0, 0, 10, 1));
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
    assertThat(errors.get(7)).startsWith("10,one is not an amount of CNY");
    assertThat(errors.get(8)).startsWith("11,The order number is missing");
    assertThat(errors.get(9)).startsWith("12,").contains("of taobao");
    assertThat(errors.get(10)).startsWith("13,").contains("fairgate is not a platform");
  }

  @Test
  void aMendedErrorFileCanBeHandedIn() {
    ImportJob first = desk.take("TB0000000000001,gold,taobao,1,paid,,,");
    String mended = "\ufeff" + String.join("\r\n", desk.errors(first)).replace(",gold,", ",basic,");
    ImportJob second = desk.take(mended, ImportOptions.defaults());
    assertThat(second.counts()).isEqualTo(counts(1, 0, 0, 0, 0, 0));
  }

  @Test
  void aFileWithRowsRefusedIsTriedAnewWhenItComesAgain() {
    ImportJob first = desk.take(row(1, "paid"), "TB0000000000002,gold,taobao,1,paid,,,");
    ImportJob again = desk.take(row(1, "paid"), "TB0000000000002,gold,taobao,1,paid,,,");
    assertThat(first.counts()).isEqualTo(counts(1, 0, 0, 0, 1, 0));
    assertThat(again.id()).isEqualTo(first.id());
    assertThat(again.counts()).isEqualTo(counts(0, 0, 1, 0, 1, 0));
    assertThat(desk.errors(again)).hasSize(2);
  }

  @Test
  void aDryRunWritesNothingAndTellsTheSame() {
    desk.take(row(1, "pending"), row(2, "paid"));
    String file =
        Desk.HEADER
            + String.join(
                "\n", row(1, "paid"), row(2, "paid"), row(3, "paid"), row(3, "paid"), "x,basic");
    ImportOptions dry = new ImportOptions("", "", "", "CNY", "", "", Map.of(), false, true);
    ImportJob rehearsed = desk.take(file, dry);
    assertThat(rehearsed.dryRun()).isTrue();
    assertThat(desk.orders()).hasSize(2).anyMatch(order -> order.endsWith("pending"));
    ImportJob real = desk.take(file, ImportOptions.defaults());
    assertThat(real.counts()).isEqualTo(rehearsed.counts()).isEqualTo(counts(1, 1, 1, 1, 1, 0));
    assertThat(desk.take(file, dry).counts()).isEqualTo(counts(0, 0, 3, 1, 1, 0));
  }

  @Test
  void filesOfChineseShopsAreReadAsTheyAre() {
    String taobao =
        """
        订单编号,买家会员名,买家实际支付金额,订单状态,订单付款时间 ,宝贝标题
        ="3211058044792473088",小明,199.00,"买家已付款,等待卖家发货",2026-01-08 12:30:00,月卡
        '3211058044792473099,小红,99.00,交易关闭,,月卡
        """
            .replace("\n", "\r\n");
    ImportOptions options =
        new ImportOptions(
            "basic", "taobao", "", "CNY", "Asia/Shanghai", "", Map.of(), false, false);
    ImportJob job = desk.finished(desk.submit(taobao, Charset.forName("GBK"), options));
    assertThat(job.encoding()).isEqualTo("GB18030");
    assertThat(job.counts()).isEqualTo(counts(2, 0, 0, 0, 0, 0));
    assertThat(desk.orders())
        .containsExactly(
            "taobao 3211058044792473088 basic 19900 CNY paid",
            "taobao 3211058044792473099 basic 9900 CNY cancelled");
    String xiaohongshu =
        """
        订单号\t订单状态\t售后状态\t用户应付金额(元)\t支付时间
        P123456789012345678\t已完成\t退款成功\t10\t2026/1/8 12:30
        """;
    ImportOptions second =
        new ImportOptions(
            "standard", "xiaohongshu", "", "CNY", "Asia/Shanghai", "", Map.of(), false, false);
    assertThat(
            desk.finished(desk.submit("\ufeff" + xiaohongshu, StandardCharsets.UTF_16LE, second)))
        .matches(each -> each.encoding().equals("UTF-16LE") && each.counts().added() == 1);
    assertThat(desk.orders())
        .contains("xiaohongshu P123456789012345678 standard 1000 CNY refunded");
  }

  @Test
  void otherHeadingsAreMapped() {
    ImportOptions options =
        new ImportOptions(
            "basic",
            "",
            "paid",
            "TWD",
            "",
            "",
            Map.of("order_id", "單號", "amount", "金額 (NT$)"),
            false,
            false);
    ImportJob job = desk.take("備註;單號;金額\n;DY123456789012;NT$1,299\n", options);
    assertThat(job.counts()).isEqualTo(counts(1, 0, 0, 0, 0, 0));
    assertThat(desk.orders()).containsExactly("douyin DY123456789012 basic 129900 TWD paid");
  }

  @Test
  void whatCannotBeReadAtAllIsRefusedAtOnce() {
    ImportOptions options = ImportOptions.defaults();
    assertThat(refused(desk.submit("a,b\n1,2\n", options)))
        .containsExactly("csv_no_column", "order_id", "a, b");
    assertThat(refused(desk.submit("", options))).containsExactly("csv_empty");
    assertThat(refused(desk.submit(Desk.HEADER, options))).containsExactly("csv_empty");
    assertThat(refused(desk.submit(rows(3) + "\n\"TB1,basic\nx\n", options)))
        .containsExactly("csv_quotes", 5L);
    assertThat(refused(desk.submit("PK\3\4\0\0", StandardCharsets.ISO_8859_1, options)))
        .containsExactly("csv_encoding");
    assertThat(desk.orders()).isEmpty();
    assertThat(spool).isEmptyDirectory();
  }

  private static List<Object> refused(ImportOutcome outcome) {
    if (outcome instanceof ImportOutcome.Refused(String key, List<Object> arguments)) {
      List<Object> all = new java.util.ArrayList<>(List.of(key));
      all.addAll(arguments);
      return all;
    }
    throw new AssertionError(outcome);
  }

  @Test
  void anInterruptedImportGoesOnWhereItStopped() {
    String file = rows(50);
    ImportJob whole = desk.finished(desk.submit(file, ImportOptions.defaults()));
    // As a killed server leaves it: 20 rows committed, nobody at it for a while.
    desk.sql("DELETE FROM orders WHERE order_id >= 'TB0000000000020'");
    desk.sql(
        """
        UPDATE order_imports SET state = 'running', rows_done = 20, added = 20,
          finished_at = NULL, updated_at = now() - interval '1 minute'""");
    assertThat(desk.imports.find(whole.id()).orElseThrow().state())
        .isEqualTo(ImportJob.State.INTERRUPTED);
    ImportJob resumed = desk.finished(desk.submit(file, ImportOptions.defaults()));
    assertThat(resumed.counts()).isEqualTo(counts(50, 0, 0, 0, 0, 0));
    assertThat(resumed.rowsDone()).isEqualTo(50);
    assertThat(desk.orders()).hasSize(50);
  }

  @Test
  void twoRunnersNeverCountARowTwice() {
    String file = rows(500);
    ImportOutcome first = desk.submit(file, ImportOptions.defaults());
    desk.sql("UPDATE order_imports SET updated_at = now() - interval '1 minute'");
    ImportJob job = desk.finished(desk.submit(file, ImportOptions.defaults()));
    assertThat(first).isInstanceOf(ImportOutcome.Started.class);
    assertThat(job.counts()).isEqualTo(counts(500, 0, 0, 0, 0, 0));
    assertThat(desk.orders()).hasSize(500);
  }

  @Test
  void sellersCodesAreBoundToTheirOrders() {
    ImportJob job =
        desk.take(
            "TB0000000000001,basic,taobao,1,paid,,,CARD-0001",
            "TB0000000000002,basic,taobao,1,paid,,,card 0001",
            "TB0000000000003,basic,taobao,1,paid,,,abc");
    assertThat(job.counts()).isEqualTo(counts(1, 0, 0, 0, 2, 0));
    assertThat(desk.errors(job).get(1)).contains("belongs to another order");
    assertThat(desk.errors(job).get(2)).contains("4 to 200");
    ImportJob again = desk.take("TB0000000000001,basic,taobao,1,paid,,,CARD-0002");
    assertThat(desk.errors(again).get(1)).contains("has another code already");
    assertThat(codes()).containsExactly("TB0000000000001 available 0001");
  }

  private List<String> codes() {
    return desk.database.reading(
        db ->
            db
                .query(
                    "SELECT concat_ws(' ', order_id, state, last4) FROM redemption_codes ORDER BY 1")
                .stream()
                .map(row -> row.getString(0))
                .toList());
  }

  @Test
  void whatWasRedeemedKeepsItsProduct() {
    desk.take(row(1, "paid"), row(2, "paid"));
    redeemed("TB0000000000001");
    redeemed("TB0000000000002");
    ImportJob job = desk.take(row(1, "refunded"), row(2, "paid").replace("basic", "standard"));
    assertThat(job.counts()).isEqualTo(counts(0, 1, 0, 0, 1, 0));
    assertThat(desk.errors(job).get(1)).contains("was redeemed for another product");
  }

  @Test
  void whatWasPaidAndIsClosedWasGivenBack() {
    desk.take(row(1, "paid"), row(2, "pending"));
    ImportJob job = desk.take(row(1, "交易关闭"), row(2, "交易关闭"));
    assertThat(job.counts()).isEqualTo(counts(0, 2, 0, 0, 0, 0));
    assertThat(desk.orders())
        .containsExactly(
            "taobao TB0000000000001 basic 9950 CNY refunded",
            "taobao TB0000000000002 basic 9950 CNY cancelled");
    assertThat(desk.take(row(1, "closed"), row(2, "closed")).counts())
        .isEqualTo(counts(0, 0, 2, 0, 0, 0));
  }

  private void redeemed(String order) {
    desk.sql(
        """
        WITH code AS (
          INSERT INTO redemption_codes
            (product_id, platform, order_id, code_hash, code_box, key_id, last4, source, state)
          VALUES ('basic', 'taobao', $1, sha256($1::text::bytea), '', 'k1', 'ABCD', 'generated',
                  'assigned')
          RETURNING id)
        INSERT INTO order_redemptions
          (platform, order_id, product_id, device_id, device, code_id, ip_address)
        SELECT 'taobao', $1, 'basic', 'd', 'd', id, '127.0.0.1' FROM code""",
        order);
  }

  @Test
  void aBodyThatBreaksOffLeavesNothing() {
    InputStream broken =
        new SequenceInputStream(
            new ByteArrayInputStream(new byte[100_000]),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("gone");
              }

              @Override
              public int read(byte[] into, int offset, int length) throws IOException {
                throw new IOException("gone");
              }
            });
    assertThatThrownBy(
            () -> desk.imports.submit(broken, "x.csv", ImportOptions.defaults(), "tester"))
        .hasMessage("gone");
    assertThat(spool).isEmptyDirectory();
    assertThat(desk.imports.newest(10)).isEmpty();
  }
}
