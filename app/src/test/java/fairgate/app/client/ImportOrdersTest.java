package fairgate.app.client;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.TestFairgate;
import fairgate.redeem.RedeemTestServer;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// The commands and the routes behind them, on a whole server.
class ImportOrdersTest {
  private static final String HEADER =
      "order_id,product_id,platform,amount,status,paid_at,expires_at\n";
  private static final String PATH = "/api/admin/orders/import";
  private static final String[] OPERATOR = {"Authorization", "Bearer " + TestFairgate.OPERATOR};

  private static RedeemTestServer shop;

  @TempDir Path folder;
  private Path data = Path.of("");

  @BeforeAll
  static void start() {
    shop = RedeemTestServer.open(Map.of());
    shop.product("basic", 30);
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @BeforeEach
  void token() throws IOException {
    data = folder.resolve("data");
    Files.createDirectories(data.resolve("secrets"));
    Files.writeString(data.resolve("secrets/operator-token"), TestFairgate.OPERATOR + "\n");
  }

  private record Run(int code, String out) {}

  private Run run(Callable command, Object... arguments) {
    List<String> all = new ArrayList<>();
    for (Object argument : arguments) {
      all.add(argument.toString());
    }
    all.addAll(List.of("--server", shop.server().baseUrl(), "--data", data.toString()));
    StringWriter out = new StringWriter();
    CommandLine line = new CommandLine(command.make());
    line.setOut(new PrintWriter(out, true));
    line.setExecutionExceptionHandler(
        (failure, _, _) -> {
          out.append(failure.getMessage());
          return 1;
        });
    int code = line.execute(all.toArray(new String[0]));
    return new Run(code, out.toString());
  }

  private interface Callable {
    Object make();
  }

  private static String rows(String prefix, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "TB%s%010d,basic,taobao,9.90,paid,,\n".formatted(prefix, i))
        .collect(Collectors.joining());
  }

  private Path file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  @Test
  void aFileIsImportedWithAProgressBarAndAReport() throws IOException {
    Path file = file("orders.csv", HEADER + rows("100", 2500));
    Run dry = run(ImportOrdersCommand::new, file, "--dry-run");
    assertThat(dry.code()).isZero();
    assertThat(dry.out()).contains("Dry run, nothing was written: 2,500 rows: 2,500 added");
    Run run = run(ImportOrdersCommand::new, file);
    assertThat(run.out())
        .contains("sending", "importing", "100%  2,500 / 2,500 rows")
        .doesNotContain("█")
        .contains("2,500 rows: 2,500 added, 0 updated, 0 unchanged, 0 duplicates, 0 refused");
    assertThat(run.code()).isZero();
    Run again = run(ImportOrdersCommand::new, file);
    assertThat(again.out()).contains("This file was imported before: 2,500 rows");
    assertThat(again.code()).isZero();
  }

  @Test
  void aMistakenRefundIsReportedBeforeAndUndoneAfterwards() throws IOException {
    String paid = rows("400", 1);
    assertThat(run(ImportOrdersCommand::new, file("paid.csv", HEADER + paid)).code()).isZero();
    String browser = shop.browser();
    String code = shop.claim("TB4000000000000", "basic", "web_4", browser).code();
    Path refund = file("refund.csv", HEADER + paid.replace("paid", "refunded"));
    assertThat(run(ImportOrdersCommand::new, refund, "--dry-run").out())
        .contains("Codes: 1 will be revoked");
    Run run = run(ImportOrdersCommand::new, refund);
    assertThat(run.out()).contains("Codes: 1 were revoked");
    shop.claim("TB4000000000000", "basic", "web_4", browser).refused(400, "ORDER_REVOKED");
    String id = run.out().strip().replaceFirst("(?s).*--undo=(\\S+).*", "$1");
    assertThat(run(ImportOrdersCommand::new, "--undo=" + id).out())
        .contains("undone: 1 orders put back, 0 removed, 0 kept", "0 codes revoked, 1 restored");
    assertThat(shop.claim("TB4000000000000", "basic", "web_4", browser).code()).isEqualTo(code);
    assertThat(run(ImportOrdersCommand::new, "--undo=none").code()).isOne();
    assertThat(run(ImportOrdersCommand::new).out()).contains("name the FILE");
  }

  @Test
  void refusedRowsAreWrittenBesideTheFile() throws IOException {
    Path file = file("bad.csv", HEADER + rows("200", 3) + "3.21E+18,basic,taobao,1,paid,,\n");
    Run run = run(ImportOrdersCommand::new, file);
    assertThat(run.code()).isOne();
    assertThat(run.out()).contains("4 rows: 3 added", "1 refused", "bad.csv.errors.csv");
    assertThat(Files.readString(folder.resolve("bad.csv.errors.csv")))
        .startsWith("\ufeffrow,problem,order_id")
        .contains("\n5,", "3.21E+18");
  }

  @Test
  void anUnknownWordForTheStatusIsReportedAndMappedOnce() throws IOException {
    String order = "TB%d,basic,taobao,1,Retoure,,\n";
    Path first = file("first.csv", HEADER + order.formatted(6000000000000L));
    assertThat(run(ImportOrdersCommand::new, first).out())
        .contains("unknown status \"Retoure\" in 1 rows", "--word \"Retoure=STATUS\"");
    assertThat(run(ImportOrdersCommand::new, first, "--word", "Retoure=lost").code()).isOne();
    Run mapped = run(ImportOrdersCommand::new, first, "--word", "Retoure=refunded");
    assertThat(mapped.out()).contains("1 added");
    assertThat(mapped.code()).isZero();
    Path later = file("later.csv", HEADER + order.formatted(6000000000001L));
    assertThat(run(ImportOrdersCommand::new, later).code()).isZero();
    assertThat(shop.admin("GET", "/orders/import-words", "").at("/words/0/status").asText())
        .isEqualTo("refunded");
    Run forgotten = run(ImportOrdersCommand::new, later, "--word", "retoure=unknown");
    assertThat(forgotten.code()).isZero();
    assertThat(shop.admin("GET", "/orders/import-words", "").at("/words")).isEmpty();
  }

  @Test
  void failuresAreExplained() throws IOException {
    Path file = file("odd.csv", "a,b\n1,2\n");
    assertThat(run(ImportOrdersCommand::new, file).out())
        .contains("no column order_id", "a, b", "(--map order_id=HEADING)");
    assertThat(run(ImportOrdersCommand::new, folder.resolve("none.csv")).out())
        .contains("cannot be read");
    assertThat(run(ImportOrdersCommand::new, file, "--zone", "Mars/Base").out()).contains("zone");
    Files.writeString(data.resolve("secrets/operator-token"), "wrong");
    assertThat(run(ImportOrdersCommand::new, file).code()).isOne();
    Files.delete(data.resolve("secrets/operator-token"));
    assertThat(run(ImportOrdersCommand::new, file).out()).contains("FAIRGATE_OPERATOR_TOKEN");
  }

  @Test
  void importedOrdersAreClaimedAndTheirCodesExported() throws IOException {
    Path file = file("claim.csv", HEADER + rows("300", 1));
    assertThat(run(ImportOrdersCommand::new, file).code()).isZero();
    var claimed = shop.claim("TB3000000000000", "basic", "web_1", shop.browser());
    String code = claimed.code();
    assertThat(code).startsWith("MHYDET-");
    Path masked = folder.resolve("masked.csv");
    assertThat(run(ExportCodesCommand::new, masked, "--product", "basic").code()).isZero();
    assertThat(Files.readString(masked))
        .contains("TB****0000,taobao,basic,******" + code.substring(code.length() - 4))
        .doesNotContain(code, "TB3000000000000");
    assertThat(run(ExportCodesCommand::new, masked).out()).contains("exists already");
    Path full = folder.resolve("full.csv");
    assertThat(run(ExportCodesCommand::new, full, "--full").out()).contains("belong together");
    assertThat(run(ExportCodesCommand::new, full, "--full", "--reason", "moving").code()).isZero();
    assertThat(Files.readString(full)).contains("TB3000000000000,taobao,basic," + code);
    assertThat(shop.admin("GET", "/redeem/exports", "").at("/exports/0/reason").asText())
        .isEqualTo("moving");
  }

  private static HttpResponse<String> post(String query, String body, String... headers) {
    return shop.server().call("POST", PATH + query, body, headers);
  }

  @Test
  void theRoutesRefuseInvalidRequests() {
    assertThat(post("", HEADER + rows("400", 2)).statusCode()).isEqualTo(401);
    assertThat(post("?dry_run=perhaps", HEADER + rows("400", 2), OPERATOR).body())
        .contains("INVALID_REQUEST", "dry_run");
    assertThat(post("?status=unheard", HEADER + rows("400", 2), OPERATOR).statusCode())
        .isEqualTo(400);
    assertThat(post("?map.order_id=Bestellung", HEADER + rows("400", 2), OPERATOR).body())
        .contains("Bestellung");
    assertThat(post("", "", OPERATOR).statusCode()).isEqualTo(400);
    assertThat(shop.server().call("GET", PATH + "/none", "", OPERATOR).statusCode()).isEqualTo(404);
    assertThat(shop.server().call("GET", PATH + "/none/errors.csv", "", OPERATOR).statusCode())
        .isEqualTo(404);
    assertThat(shop.server().call("GET", PATH, "").statusCode()).isEqualTo(401);
    assertThat(
            shop.server()
                .call("GET", "/api/admin/redeem/export?state=odd", "", OPERATOR)
                .statusCode())
        .isEqualTo(400);
    for (String body : List.of("{}", "{\"full\":true}", "{\"full\":false,\"reason\":\"x\"}")) {
      assertThat(
              shop.server().call("POST", "/api/admin/redeem/export", body, OPERATOR).statusCode())
          .as(body)
          .isEqualTo(400);
    }
  }

  @Test
  void theErrorFileIsInTheCallersLanguage() {
    HttpResponse<String> answer =
        post("", HEADER + "TB5000000000001,gold,taobao,1,paid,,\n", OPERATOR);
    assertThat(answer.statusCode()).isIn(200, 202);
    String location = answer.headers().firstValue("location").orElseThrow();
    Eventually.await(
        "the import is done",
        () ->
            shop.server()
                .call("GET", location, "", OPERATOR)
                .body()
                .contains("\"state\":\"done\""));
    HttpResponse<String> errors =
        shop.server()
            .call(
                "GET",
                location + "/errors.csv",
                "",
                "Authorization",
                "Bearer " + TestFairgate.OPERATOR,
                "Accept-Language",
                "zh-CN");
    assertThat(errors.body()).contains("没有商品 gold");
    HttpResponse<String> report =
        shop.server()
            .call(
                "GET",
                location,
                "",
                "Authorization",
                "Bearer " + TestFairgate.OPERATOR,
                "Accept-Language",
                "zh-CN");
    assertThat(report.body())
        .contains("\"refused_rows\":[{\"row\":2,\"problem\":\"没有商品 gold")
        .as("a report has no cells")
        .doesNotContain("TB5000000000001");
    assertThat(errors.headers().firstValue("content-disposition").orElseThrow())
        .contains("errors-");
    assertThat(shop.server().call("GET", PATH, "", OPERATOR).body()).contains("\"imports\":[{");
  }

  @Test
  void theBarShowsPercentageSpeedAndRemainingTime() {
    StringWriter out = new StringWriter();
    long[] now = {0};
    ProgressBar bar = new ProgressBar(new PrintWriter(out), true, () -> now[0], "importing");
    bar.show(0, 1000, "rows");
    now[0] += 1_000_000_000L;
    bar.show(250, 1000, "rows");
    bar.end();
    assertThat(new String(out.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
        .contains(
            "\rimporting [████████░░░░░░░░░░░░░░░░░░░░░░]  25%  250 / 1,000 rows  250/s  -0:03");
  }
}
