package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files as shops and platforms write them, and files that are none, on a real PostgreSQL.
@Tag("slow")
class ImportFormatsTest {
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
            "basic", "taobao", "", "CNY", "Asia/Shanghai", "", Map.of(), "", false, false);
    ImportJob job = desk.finished(desk.submit(taobao, Charset.forName("GBK"), options));
    assertThat(job.encoding()).isEqualTo("GB18030");
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(2, 0, 0, 0, 0, 0));
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
            "standard", "xiaohongshu", "", "CNY", "Asia/Shanghai", "", Map.of(), "", false, false);
    assertThat(
            desk.finished(desk.submit("\ufeff" + xiaohongshu, StandardCharsets.UTF_16LE, second)))
        .matches(each -> each.encoding().equals("UTF-16LE") && each.counts().added() == 1);
    assertThat(desk.orders())
        .contains("xiaohongshu P123456789012345678 standard 1000 CNY refunded");
  }

  @Test
  void aNumberOfTwoPlatformsBelongsToTheOneWhoseHeadingsTheFileHas() {
    ImportOptions options =
        new ImportOptions("basic", "", "", "CNY", "Asia/Shanghai", "", Map.of(), "", false, false);
    String taobao =
        """
        订单编号,买家会员名,买家支付宝账号,支付单号,买家应付货款,总金额,买家实际支付金额,订单状态,订单创建时间,订单付款时间,宝贝标题,宝贝总数量,订单关闭原因
        ="3211058044792473088",小明,a***@163.com,2026010822001,199.00,199.00,199.00,"付款以后用户退款成功，交易自动关闭",2026-01-08 12:29:00,2026-01-08 12:30:00,月卡,1,退款
        """;
    assertThat(desk.take(taobao, options).counts().added()).isEqualTo(1);
    String douyin =
        """
        主订单编号,子订单编号,选购商品,商品规格,商品数量,商品ID,订单应付金额,支付完成时间,订单状态,售后状态,达人昵称
        6925058044792473099\t,6925058044792473099\t,月卡,默认,1,3575830000000000001,10.00,2026-01-08 12:30:00,已完成,-,小王
        """;
    assertThat(desk.take(douyin, options).counts().added()).isEqualTo(1);
    assertThat(desk.orders())
        .containsExactly(
            "douyin 6925058044792473099 basic 1000 CNY paid",
            "taobao 3211058044792473088 basic 19900 CNY refunded");
  }

  @Test
  void furtherRowsOfAnOrderMayLeaveItsOwnCellsEmpty() {
    String file =
        """
        Orders of January,,,,,
        Order ID,Product ID,Payment Status,Paid at,Total,Refund_status
        A-100001,basic,paid,2026-01-08 12:30:00 +0800,"1,299.00",-
        A-100001,standard,,,,
        ,deluxe,,,,
        ,,,,,
        A-100002,basic,refunded,NULL,--,
        ,standard,,,free,
        A-100003,,paid,,,
        ,basic,paid,,,
        """;
    ImportJob job = desk.take(file, ImportOptions.defaults());
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(5, 0, 0, 0, 2, 1));
    assertThat(desk.orders())
        .containsExactly(
            "generic A-100001 basic 129900 CNY paid",
            "generic A-100001 deluxe 129900 CNY paid",
            "generic A-100001 standard 129900 CNY paid",
            "generic A-100002 basic refunded",
            "generic A-100002 standard refunded");
    assertThat(desk.errors(job).subList(1, 3))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("9,The product is missing"),
            line -> assertThat(line).startsWith("10,The order number is missing"));
  }

  @Test
  void anInterruptedImportCompletesRowsBelowTheOnesThatAreDone() {
    String rows = "A-100001,basic,,,paid,,,\n" + ",standard,,,,,,\n".repeat(1);
    ImportJob job = desk.take(ImportTestServer.HEADER + rows, ImportOptions.defaults());
    desk.sql("UPDATE order_imports SET state = 'failed', rows_done = 1, added = 1");
    desk.sql("DELETE FROM orders WHERE product_id = 'standard'");
    ImportJob again = desk.take(ImportTestServer.HEADER + rows, ImportOptions.defaults());
    assertThat(again.id()).isEqualTo(job.id());
    assertThat(desk.orders()).contains("generic A-100001 standard paid");
  }

  @Test
  void anUnknownWordIsMappedOnceForAllLaterFiles() {
    String file = ImportTestServer.HEADER + "%s,basic,taobao,1,仅退款，已完结,,,\n";
    ImportJob job = desk.take(file.formatted("TB0000000000001"), ImportOptions.defaults());
    assertThat(job.counts().refused()).isEqualTo(1);
    assertThat(desk.imports.unknownWords(job.id()))
        .containsExactly(new ImportService.UnknownWord("仅退款，已完结", 1));
    desk.imports.mapWord("仅退款，已完结", "refunded", "anna");
    assertThat(desk.take(file.formatted("TB0000000000001"), ImportOptions.defaults()).counts())
        .isEqualTo(ImportTestServer.counts(1, 0, 0, 0, 0, 0));
    String later =
        file.formatted("TB0000000000002")
            .replace("，已完结", ",已完结")
            .replace(",1,仅退款,已完结", ",1,\"仅退款,已完结\"");
    assertThat(desk.take(later, ImportOptions.defaults()).counts().added()).isEqualTo(1);
    assertThat(desk.orders()).allMatch(order -> order.endsWith("refunded"));
    desk.imports.forgetWord("仅退款 已完结");
    assertThat(desk.imports.ownWords()).isEmpty();
  }

  @Test
  void filesOfTaiwaneseShopsAreReadAsTheyAre() {
    String file = "訂單編號,商品名稱,狀態\ntb0000000000001,點數卡一個月份,已付清\nTB0000000000002,遊戲點數,已付清\n";
    ImportOptions options =
        new ImportOptions("basic", "", "", "TWD", "", "", Map.of(), "", false, false);
    ImportJob job = desk.finished(desk.submit(file, Charset.forName("Big5"), options));
    assertThat(job.encoding()).isEqualTo("Big5");
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(2, 0, 0, 0, 0, 0));
    assertThat(desk.orders())
        .containsExactly("taobao TB0000000000001 basic paid", "taobao TB0000000000002 basic paid");
    String short5 = "order_id,狀態\nTB0000000000003,已付清\n";
    assertThat(desk.finished(desk.submit(short5, Charset.forName("Big5"), options)).encoding())
        .isEqualTo("Big5");
    String shortGbk = "order_id,状态\nTB0000000000004,已付款\n";
    assertThat(desk.finished(desk.submit(shortGbk, Charset.forName("GBK"), options)).encoding())
        .isEqualTo("GB18030");
  }

  @Test
  void aByteThatIsLostDoesNotMakeAnotherEncodingOfUtf8() throws IOException {
    byte[] whole = "订单编号,状态\nTB0000000000001,已付款\n".getBytes(StandardCharsets.UTF_8);
    for (int lost : new int[] {4, whole.length - 3}) {
      ByteArrayOutputStream cut = new ByteArrayOutputStream();
      cut.write(whole, 0, lost);
      cut.write(whole, lost + 1, whole.length - lost - 1);
      ImportService.ImportOutcome outcome =
          desk.imports.submit(
              new ByteArrayInputStream(cut.toByteArray()),
              "cut.csv",
              ImportOptions.defaults(),
              "tester");
      assertThat(outcome)
          .isInstanceOfSatisfying(
              ImportService.ImportOutcome.Refused.class,
              refused -> assertThat(refused.problemKey()).isEqualTo("csv_damaged"));
    }
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
            "",
            false,
            false);
    ImportJob job = desk.take("備註;單號;金額\n;DY123456789012;NT$1,299\n", options);
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(1, 0, 0, 0, 0, 0));
    assertThat(desk.orders()).containsExactly("douyin DY123456789012 basic 129900 TWD paid");
  }

  @Test
  void whatCannotBeReadAtAllIsRefusedAtOnce() {
    ImportOptions options = ImportOptions.defaults();
    assertThat(refused(desk.submit("a,b\n1,2\n", options)))
        .containsExactly("map.order_id", "csv_no_column", "order_id", "a, b");
    assertThat(refused(desk.submit("order_id,b\n1,2\n", options)))
        .containsExactly("map.product_id", "csv_no_column_or_value", "product_id", "order_id, b");
    assertThat(refused(desk.submit("", options))).containsExactly("", "csv_empty");
    assertThat(refused(desk.submit(ImportTestServer.HEADER, options)))
        .containsExactly("", "csv_empty");
    assertThat(refused(desk.submit(ImportTestServer.rows(3) + "\n\"TB1,basic\nx\n", options)))
        .containsExactly("", "csv_quotes", 5L);
    assertThat(refused(desk.submit("PK\3\4\0\0", StandardCharsets.ISO_8859_1, options)))
        .containsExactly("encoding", "csv_encoding");
    assertThat(desk.orders()).isEmpty();
    assertThat(spool).isEmptyDirectory();
  }

  private static List<Object> refused(ImportService.ImportOutcome outcome) {
    if (outcome
        instanceof
        ImportService.ImportOutcome.Refused(String option, String key, List<Object> arguments)) {
      List<Object> all = new java.util.ArrayList<>(List.of(option, key));
      all.addAll(arguments);
      return all;
    }
    throw new AssertionError(outcome);
  }
}
