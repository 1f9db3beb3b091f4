package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.ForeignShop;
import fairgate.testkit.FrontProxy;
import fairgate.testkit.RawHttp;
import fairgate.testkit.RawHttp.Answer;
import fairgate.testkit.ShopProxy;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A foreign shop behind the real proxies with the shipped configurations, and a whole server: a
/// visitor waits, enters and buys, and nobody else gets in.
@Timeout(600)
class ShopBehindProxyIT {
  private static final String PAGE = "Accept: text/html";
  private static final Map<ShopProxy, FrontProxy> PROXIES = new TreeMap<>();

  private static TestFairgate node;
  private static ForeignShop shop;

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    node =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.trusted_proxies", "127.0.0.1"));
    shop = ForeignShop.start();
    room(1_000);
    for (ShopProxy kind : ShopProxy.values()) {
      PROXIES.put(kind, kind.start(node.port(), shop.port()));
    }
    Eventually.await(
        "the room has a head", () -> node.call("GET", "/q/shop/head", "").statusCode() == 200);
  }

  /// Creates or changes the room.
  private static void room(int capacity) {
    String settings =
        """
        {"hosts": ["shop.example.com"], "mode": "on", "capacity": %d, "rate": 1000,
         "paths": {"include": ["/shop"], "exclude": ["/shop/assets", "/shop/webhooks"]},
         "session_minutes": 10, "return_url": "http://shop.example.com/shop", "challenge": false}
        """
            .formatted(capacity);
    String _ = node.admin("PUT", "/rooms/shop", settings);
  }

  @AfterAll
  static void stop() {
    PROXIES.values().forEach(FrontProxy::close);
    shop.close();
    node.close();
  }

  @BeforeEach
  void forget() {
    shop.forget();
  }

  private static int port(ShopProxy kind) {
    return Objects.requireNonNull(PROXIES.get(kind)).port(0);
  }

  private static String head() {
    return node.call("GET", "/q/shop/head", "").body();
  }

  private static String epoch(String head) {
    return head.replaceAll(".*\"epoch\":(\\d+).*", "$1");
  }

  private static RoomVisitor join() {
    return RoomVisitor.join(node, "shop");
  }

  private static String signedReturn(Answer redirect) {
    String location = redirect.header("location");
    assertThat(location).startsWith("https://wait.example.com/q/shop/?return=");
    return location.substring(location.indexOf('=') + 1);
  }

  private static String passCookie(Answer exchanged) {
    assertThat(exchanged.status()).as(exchanged.body()).isEqualTo(303);
    return RoomVisitor.passCookie(List.of(exchanged.header("set-cookie").split("\n", -1)));
  }

  private static Answer get(ShopProxy kind, URI address) {
    assertThat(address.getHost()).isEqualTo(ForeignShop.HOST);
    String target = address.getRawPath() + "?" + address.getRawQuery();
    return Eventually.get(
        "the node is not too busy",
        () -> RawHttp.send(port(kind), "GET", target),
        answer -> answer.status() != 503);
  }

  @ParameterizedTest
  @EnumSource
  void aVisitorWaitsEntersAndReachesThePageThatWasAskedFor(ShopProxy kind) {
    String wanted = "/shop/cart?item=7&size=L%2FXL";
    Answer redirect = RawHttp.send(port(kind), "GET", wanted, PAGE);
    assertThat(redirect.status()).isEqualTo(302);
    assertThat(shop.visits()).isEmpty();

    Answer exchanged = get(kind, join().turn(signedReturn(redirect)));
    String cookie = passCookie(exchanged);
    assertThat(exchanged.header("location")).isEqualTo("http://shop.example.com" + wanted);

    assertThat(RawHttp.send(port(kind), "GET", wanted, PAGE, cookie).status()).isEqualTo(200);
    ForeignShop.Visit visit = shop.visits().getFirst();
    assertThat(visit.target()).isEqualTo(wanted);
    assertThat(cookie).endsWith(visit.headers().get("x-fairgate-pass"));
  }

  @ParameterizedTest
  @EnumSource
  void aTurnIsWorthOnePassAndAPlaceNeedsItsSecret(ShopProxy kind) {
    RoomVisitor visitor = join();
    String other = join().secret();
    for (String secret : List.of(other, "", visitor.place())) {
      assertThat(visitor.enter(secret, "").statusCode()).isBetween(400, 499);
    }
    String forged = "aHR0cHM6Ly9ldmlsLmV4YW1wbGUv.k1.x";
    assertThat(visitor.enter(visitor.secret(), forged).statusCode()).isEqualTo(400);
    URI turn = visitor.turn("");
    String cookie = passCookie(get(kind, turn));
    Answer again = get(kind, turn);
    assertThat(again.status()).isBetween(400, 499);
    assertThat(again.headers()).doesNotContainKey("set-cookie");

    // Neither of the other two tokens is a pass.
    String token = turn.getRawQuery().split("[=&]", -1)[1];
    String name = cookie.split("[ =]", -1)[1];
    for (String wrong : List.of(token, visitor.place())) {
      Answer refused =
          RawHttp.send(port(kind), "GET", "/shop/cart", PAGE, "Cookie: " + name + "=" + wrong);
      assertThat(refused.status()).isEqualTo(302);
    }
    assertThat(shop.visits()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void anOperatorEndsAllPassesWithANewEpoch(ShopProxy kind) {
    String cookie = passCookie(get(kind, join().turn("")));
    assertThat(RawHttp.send(port(kind), "POST", "/shop/pay", cookie).status()).isEqualTo(200);
    String before = head();
    String _ = node.admin("POST", "/rooms/shop/revoke", "");
    Eventually.await(
        "the pass is worth nothing",
        () -> RawHttp.send(port(kind), "POST", "/shop/pay", cookie).status() == 429);
    shop.forget();
    assertThat(RawHttp.send(port(kind), "POST", "/shop/pay", cookie).status()).isEqualTo(429);
    assertThat(shop.visits()).isEmpty();
    // The next test joins in the new epoch.
    Eventually.await("the head is of the new epoch", () -> !epoch(head()).equals(epoch(before)));
  }

  @ParameterizedTest
  @EnumSource
  void aReleasedPassIsRefusedWithinASecond(ShopProxy kind) {
    String cookie = passCookie(get(kind, join().turn("")));
    assertThat(RawHttp.send(port(kind), "POST", "/shop/pay", cookie).status()).isEqualTo(200);
    Answer released =
        Eventually.get(
            "the node is not too busy",
            () -> RawHttp.send(port(kind), "POST", "/q/shop/release", cookie),
            answer -> answer.status() != 503);
    assertThat(released.status()).isEqualTo(204);
    Eventually.await(
        "the pass is worth nothing",
        () -> RawHttp.send(port(kind), "POST", "/shop/pay", cookie).status() == 429);
  }
}
