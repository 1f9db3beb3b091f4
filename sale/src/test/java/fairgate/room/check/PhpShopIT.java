package fairgate.room.check;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.token.RoomTokens;
import fairgate.testkit.Eventually;
import fairgate.testkit.ForeignShop;
import fairgate.testkit.RawHttp;
import fairgate.testkit.RawHttp.Answer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A PHP shop in the shape of WooCommerce that includes `deploy/verify/fairgate-gate.php`, in PHP's
/// own web server.
@Timeout(120)
class PhpShopIT {
  private static final String PAGE = "Accept: text/html";

  @TempDir static Path temp;
  private static GateCheckFixture bed;
  private static Process shop;
  private static int port;

  @BeforeAll
  static void start() throws IOException {
    bed = GateCheckFixture.start();
    // Another process could take the port meanwhile; then PHP ends, and the next port is tried.
    for (int attempt = 0; attempt < 5; attempt++) {
      try (ForeignShop free = ForeignShop.start()) {
        port = free.port();
      }
      shop = php(bed.port());
      Eventually.await(
          "PHP listens or has ended",
          () -> !shop.isAlive() || RawHttp.send(port, "GET", "/about").status() == 200);
      if (shop.isAlive()) {
        return;
      }
    }
    throw new AssertionError("php -S does not start");
  }

  private static Process php(int fairgate) throws IOException {
    Path folder = Path.of("../sale/src/test/resources/fairgate/room/check/shop").toAbsolutePath();
    Path gate = Path.of("../deploy/verify/fairgate-gate.php").toAbsolutePath().normalize();
    ProcessBuilder builder =
        new ProcessBuilder(
                "php",
                "-d",
                "sys_temp_dir=" + temp,
                "-S",
                "127.0.0.1:" + port,
                folder.resolve("index.php").toString())
            .redirectErrorStream(true)
            .redirectOutput(new File(temp.toFile(), "php.log"));
    builder.environment().put("FAIRGATE_URL", "http://127.0.0.1:" + fairgate);
    builder.environment().put("FAIRGATE_GATE", gate.toString());
    return builder.start();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    shop.destroy();
    boolean _ = shop.waitFor(10, TimeUnit.SECONDS);
    bed.close();
  }

  @BeforeEach
  void reset() {
    bed.protect();
    bed.revoked.clear();
    bed.renewals.set(0);
  }

  private static String cookie(String pass) {
    return "Cookie: " + GateCheckFixture.COOKIE + "=" + pass;
  }

  @Test
  void aVisitorWithoutAPassWaitsAndAProgramGetsJson() {
    Answer page = RawHttp.send(port, "GET", "/shop/cart?add-to-cart=5", PAGE);
    assertThat(page.status()).isEqualTo(302);
    assertThat(page.header("location")).startsWith("https://wait.example.com/q/shop?return=");
    assertThat(page.body()).doesNotContain("shop:");
    Answer ajax = RawHttp.send(port, "POST", "/shop/?wc-ajax=checkout", "Accept: application/json");
    assertThat(ajax.status()).isEqualTo(429);
    assertThat(ajax.header("retry-after")).isEqualTo("10");
    assertThat(ajax.body()).contains("cfWaitingRoom").doesNotContain("shop:");
    assertThat(RawHttp.send(port, "POST", "/shop/webhooks/pay").body()).startsWith("shop: POST");
  }

  @Test
  void aTurnIsExchangedForAPassOnTheShopsHostAndOpensTheShop() {
    Answer exchanged = RawHttp.send(port, "GET", "/q/shop/pass?turn=x&to=y");
    assertThat(exchanged.status()).isEqualTo(303);
    assertThat(exchanged.header("location")).isEqualTo("http://shop.example.com/shop/x");
    String pass = exchanged.header("set-cookie").split("[=;]", -1)[1];
    Answer inside = RawHttp.send(port, "POST", "/shop/cart", cookie(pass), "X-Fairgate-Pass: x");
    assertThat(inside.status()).isEqualTo(200);
    assertThat(inside.body()).isEqualTo("shop: POST /shop/cart -\n");
  }

  @Test
  void onlyAValidPassOpensTheShop() {
    long now = Instant.now().getEpochSecond();
    for (String bad :
        List.of(
            "x",
            bed.pass() + "x",
            bed.token(
                RoomTokens.Type.TURN,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now, now + 600)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH - 1, now, now + 600)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("other", GateCheckFixture.EPOCH, now, now + 600)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now - 600, now)))) {
      Answer answer = RawHttp.send(port, "GET", "/shop/cart", PAGE, cookie(bad));
      assertThat(answer.status()).as(bad).isEqualTo(302);
      assertThat(answer.body()).doesNotContain("shop:");
    }
  }

  @Test
  void aPassInItsSecondHalfIsRenewed() {
    long now = Instant.now().getEpochSecond();
    String old =
        bed.token(
            RoomTokens.Type.PASS,
            GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now - 400, now + 200));
    Answer answer = RawHttp.send(port, "GET", "/shop/cart", PAGE, cookie(old));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("set-cookie")).startsWith(GateCheckFixture.COOKIE + "=");
    assertThat(bed.renewals).hasValue(1);
  }
}
