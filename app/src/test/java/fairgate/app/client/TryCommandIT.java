package fairgate.app.client;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.app.TestFairgate;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// `try` against a whole server.
class TryCommandIT {
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
    server.createProduct("801", 5, "{\"preset\": \"flash\"}");
    server.openSale("801");
    server.createProduct("802", 5, "{\"preset\": \"flash\"}");
    server.createProduct("803", 1, "{\"preset\": \"flash\"}");
    server.openSale("803");
    server.createProduct("804", 1, "{\"preset\": \"flash\", \"payment\": \"none\"}");
    server.openSale("804");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /// The output of the command.
  private record Said(int code, String out, String err) {
    static Said by(String... arguments) {
      StringWriter out = new StringWriter();
      StringWriter err = new StringWriter();
      CommandLine command =
          Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
      int code = command.execute(arguments);
      return new Said(code, out.toString(), err.toString());
    }
  }

  @Test
  void aBuyerBuysOnceAndPaysWithTheTestChallenge() {
    // With a slash at the end, as copied from a browser.
    bought(Said.by("try", server.baseUrl() + "/", "--product", "801"), "known token");
    assertThat(server.admin("GET", "/products/801/live", "")).contains("\"confirmed\":1");
  }

  @Test
  void aBuyerSolvesAltcha() {
    try (TestFairgate guarded =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("challenge.provider", "altcha", "limits", "on"))) {
      guarded.createProduct("811", 5, "{\"preset\": \"flash\"}");
      guarded.openSale("811");
      bought(Said.by("try", guarded.baseUrl()), "solved in");
    }
  }

  private static void bought(Said said, String challenge) {
    assertThat(said.code()).as(said.out() + said.err()).isZero();
    assertThat(said.out())
        .contains(challenge, "POST /api/queue/join", "ready_to_purchase", "Idempotency-Key: try-")
        .contains("GET /api/orders/", "status=pending", "status=paid");
    var order = Pattern.compile("order_id=([\\w-]+)").matcher(said.out());
    assertThat(order.results().map(found -> found.group(1)).distinct()).as(said.out()).hasSize(1);
  }

  @Test
  void aSaleWithoutPaymentNeedsNoPayment() {
    Said said = Said.by("try", server.baseUrl(), "--product", "804");
    assertThat(said.code()).as(said.out() + said.err()).isZero();
    assertThat(said.out()).contains("Done").doesNotContain("pay in the sandbox");
  }

  @Test
  void aSaleWithoutPurchaseTokensIsBought() {
    server.createProduct("805", 1, "{\"preset\": \"queue\"}");
    server.openSale("805");
    Said said = Said.by("try", server.baseUrl(), "--product", "805", "--longest", "60");
    assertThat(said.code()).as(said.out() + said.err()).isZero();
    assertThat(said.out()).contains("Done").doesNotContain("purchase_token");
  }

  @Test
  void aSaleThatIsNotOpenIsReported() {
    Said said = Said.by("try", server.baseUrl(), "--product", "802");
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err()).contains("the sale of product 802").doesNotContain("Exception");
  }

  @Test
  void aSoldOutProductIsReported() {
    assertThat(Said.by("try", server.baseUrl(), "--product", "803").code()).isZero();
    Said said = Said.by("try", server.baseUrl(), "--product", "803");
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err()).contains("product 803 is sold out");
  }

  @Test
  void anUnknownProductIsReported() {
    Said said = Said.by("try", server.baseUrl(), "--product", "899");
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err()).contains("there is no product 899", "PRODUCT_NOT_FOUND");
  }

  @Test
  void anUnreachableServerIsReported() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    String url = "http://127.0.0.1:" + free;
    Said said = Said.by("try", url);
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err()).contains("no server answers at " + url, "./fairgate up");
  }

  @ParameterizedTest
  @ValueSource(strings = {"example.org", "ftp://example.org", "http://", "http://a b", ""})
  void anInvalidUrlIsWrongUsage(String url) {
    assertThat(Said.by("try", url).code()).isEqualTo(2);
  }

  @Test
  void theHelpWarnsThatTheCommandReallyBuys() {
    Said said = Said.by("try", "--help");
    assertThat(said.code()).isZero();
    assertThat(said.out()).contains("It really buys", "--product", "--longest");
  }
}
