package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.redeem.RedeemTestServer;
import fairgate.redeem.RedeemTestServer.Answer;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A node dies between the commit of a claim and its response: the retry returns the code.
class ClaimCrashIT {
  private static final String ORDER = "TB20260108123456789";

  @Test
  void aRetryAfterALostResponseReturnsTheSameCode() {
    TestEngines engines = TestEngines.shared();
    PostgresAddress database = engines.freshDatabase();
    try (RedeemTestServer shop = RedeemTestServer.on(database, Map.of());
        MortalServer mortal =
            MortalServer.start(engines, database, "fairgate.redeem.ClaimService", "Claimed;");
        HttpClient http = HttpClient.newHttpClient()) {
      shop.product("basic", 30);
      shop.order("taobao", ORDER, "basic", "paid");
      String browser = shop.browser();
      mortal.arm();
      HttpRequest claim =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + mortal.port() + "/api/redeem/claim"))
              .header("Cookie", browser)
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      "{\"order_id\":\"%s\",\"product_id\":\"basic\",\"device_id\":\"mine\"}"
                          .formatted(ORDER)))
              .build();
      assertThatThrownBy(
              () ->
                  Eventually.get(
                      "the node is not too busy",
                      () -> http.send(claim, HttpResponse.BodyHandlers.ofString()),
                      answer -> answer.statusCode() != 503))
          .hasCauseInstanceOf(IOException.class);
      assertThat(mortal.awaitDeath()).isEqualTo(137);
      String committed = shop.value("SELECT last4 FROM redemption_codes WHERE order_id = ?", ORDER);

      Answer again = shop.claimUntilAccepted(ORDER, "basic", "mine", browser);

      assertThat(again.code()).endsWith(committed);
      assertThat(again.replayed()).isTrue();
      shop.claimUntilAccepted(ORDER, "basic", "mine", shop.browser())
          .refused(400, "ORDER_ALREADY_CLAIMED");
      assertThat(shop.value("SELECT count(*) FROM redemption_codes")).isEqualTo("1");
    }
  }
}
