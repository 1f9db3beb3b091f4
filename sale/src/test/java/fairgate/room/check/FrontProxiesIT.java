package fairgate.room.check;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.token.RoomClaims;
import fairgate.room.token.RoomTokens;
import fairgate.testkit.Eventually;
import fairgate.testkit.ForeignShop;
import fairgate.testkit.FrontProxy;
import fairgate.testkit.RawHttp;
import fairgate.testkit.RawHttp.Answer;
import fairgate.testkit.ShopProxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The shipped configurations of `deploy/room` in the real nginx, Caddy and HAProxy, before a small
/// shop: visitors with a pass reach it, and no request without one does.
@Timeout(180)
class FrontProxiesIT {
  private static final String PAGE = "Accept: text/html";

  private static GateCheckFixture bed;
  private static ForeignShop shop;
  private static final Map<ShopProxy, FrontProxy> PROXIES = new TreeMap<>();

  @BeforeAll
  static void start() {
    bed = GateCheckFixture.start();
    shop = ForeignShop.start();
    for (ShopProxy kind : ShopProxy.values()) {
      PROXIES.put(kind, kind.start(bed.port(), shop.port()));
    }
  }

  @AfterAll
  static void stop() {
    PROXIES.values().forEach(FrontProxy::close);
    shop.close();
    bed.close();
  }

  @BeforeEach
  void reset() {
    bed.protect();
    bed.entry = RoomStates.Entry.WAIT;
    bed.revoked.clear();
    bed.released.clear();
    shop.forget();
  }

  private static int port(ShopProxy kind) {
    return Objects.requireNonNull(PROXIES.get(kind)).port(0);
  }

  private static String cookie(String pass) {
    return "Cookie: a=b; " + GateCheckFixture.COOKIE + "=" + pass;
  }

  @ParameterizedTest
  @EnumSource
  void aVisitorWithAPassReachesTheShopWithEveryMethod(ShopProxy kind) {
    String pass = bed.pass();
    for (String method : List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")) {
      shop.forget();
      Answer answer = RawHttp.send(port(kind), method, "/shop/c%20art?x=%2f&y=1", cookie(pass));
      assertThat(answer.status()).as(method).isEqualTo(200);
      ForeignShop.Visit visit = shop.visits().getFirst();
      assertThat(visit.method()).isEqualTo(method);
      assertThat(visit.target()).isEqualTo("/shop/c%20art?x=%2f&y=1");
      assertThat(visit.headers())
          .containsEntry("x-fairgate-pass", pass)
          .containsEntry("host", GateCheckFixture.HOST)
          .containsEntry("x-forwarded-for", "127.0.0.1")
          .containsEntry("x-forwarded-proto", "http");
    }
  }

  @ParameterizedTest
  @EnumSource
  void anUploadArrivesWhole(ShopProxy kind) {
    byte[] file = new byte[700_000];
    Answer answer =
        RawHttp.send(
            port(kind),
            "POST",
            "/shop/upload",
            file,
            cookie(bed.pass()),
            "Content-Type: image/png");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(shop.visits().getFirst().bodyBytes()).isEqualTo(file.length);
  }

  @ParameterizedTest
  @EnumSource
  void aWebSocketOpensWithAPassOnly(ShopProxy kind) {
    Answer refused = RawHttp.webSocket(port(kind), "/shop/socket");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(shop.visits()).isEmpty();
    Answer open = RawHttp.webSocket(port(kind), "/shop/socket", cookie(bed.pass()));
    assertThat(open.status()).isEqualTo(101);
    assertThat(open.body()).isEqualTo("hello");
  }

  @ParameterizedTest
  @EnumSource
  void navigationIsSentToTheWaitingPage(ShopProxy kind) {
    for (String method : List.of("GET", "HEAD")) {
      Answer answer = RawHttp.send(port(kind), method, "/shop/cart?x=1&y=2", PAGE);
      assertThat(answer.status()).isEqualTo(302);
      String back = "http://shop.example.com/shop/cart?x=1&y=2";
      assertThat(answer.header("location"))
          .isEqualTo("https://wait.example.com/q/shop?return=" + back.length());
      assertThat(answer.header("cache-control")).isEqualTo("no-store");
    }
    Answer form = RawHttp.send(port(kind), "POST", "/shop/cart", new byte[90_000], PAGE);
    assertThat(form.status()).isEqualTo(302);
    assertThat(form.header("location")).isEqualTo("https://wait.example.com/q/shop");
    assertThat(shop.visits()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void programsAndUnsafeMethodsGet429WithJson(ShopProxy kind) {
    List<Answer> answers = new ArrayList<>();
    answers.add(RawHttp.send(port(kind), "GET", "/shop/api", "Accept: application/json"));
    answers.add(RawHttp.send(port(kind), "GET", "/shop/api", "Sec-Fetch-Mode: cors"));
    for (String method : List.of("PUT", "PATCH", "DELETE")) {
      answers.add(RawHttp.send(port(kind), method, "/shop/cart", new byte[90_000], PAGE));
    }
    answers.add(RawHttp.send(port(kind), "POST", "/shop/cart", new byte[90_000], "Accept: */*"));
    for (Answer answer : answers) {
      assertThat(answer.status()).isEqualTo(429);
      assertThat(answer.header("retry-after")).isEqualTo("10");
      assertThat(answer.header("content-type")).startsWith("application/json");
      assertThat(answer.headers()).doesNotContainKey("location");
      assertThat(answer.body()).contains("\"cfWaitingRoom\":{\"inWaitingRoom\":true");
    }
    assertThat(shop.visits()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void assetsWebhooksAndOtherPathsAreOpen(ShopProxy kind) {
    byte[] event = "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    assertThat(RawHttp.send(port(kind), "GET", "/shop/assets/a.js").status()).isEqualTo(200);
    assertThat(RawHttp.send(port(kind), "POST", "/shop/webhooks/pay", event).status())
        .isEqualTo(200);
    assertThat(RawHttp.send(port(kind), "GET", "/about").status()).isEqualTo(200);
    assertThat(shop.visits()).hasSize(3);
    assertThat(shop.visits()).noneMatch(visit -> visit.headers().containsKey("x-fairgate-pass"));
  }

  @ParameterizedTest
  @EnumSource
  void aRenewedPassReachesTheBrowserBesideTheShopsOwnAnswer(ShopProxy kind) {
    long now = Instant.now().getEpochSecond();
    String old =
        bed.token(
            RoomTokens.Type.PASS,
            GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now - 400, now + 200));
    Answer answer = RawHttp.send(port(kind), "GET", "/shop", cookie(old));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("set-cookie")).startsWith(GateCheckFixture.COOKIE + "=");
    assertThat(answer.body()).startsWith("shop: GET");
  }

  @ParameterizedTest
  @EnumSource
  void noHeaderOfAClientIsBelievedByTheCheckOrGivenToTheShop(ShopProxy kind) {
    String pass = bed.pass();
    List<String> smuggled =
        List.of(
            "X-Fairgate-Pass: " + pass,
            "X_Fairgate_Pass: " + pass,
            "x-fairgate_pass: " + pass,
            "x_fairgate-pass: " + pass,
            "X-Fairgate-Location: https://evil.example/",
            "X-Forwarded-Uri: /about",
            "X-Forwarded-Method: OPTIONS",
            "X-Forwarded-Host: www.example.com",
            "X-Forwarded-Host: shop.example.com, www.example.com",
            "X-Forwarded-Proto: ftp",
            "X-Forwarded-Port: 1",
            "X-Forwarded-Prefix: /about",
            "X-Forwarded-For: 127.0.0.1",
            "Forwarded: for=127.0.0.1;host=www.example.com;proto=https",
            "X-Original-Url: /about",
            "X-Original-Uri: /about",
            "X-Rewrite-Url: /about",
            "X-Original-Method: OPTIONS",
            "Connection: close, X-Forwarded-Uri",
            "Connection: close, X-Forwarded-Host, X-Forwarded-Method",
            "Connection: close, X-Forwarded-For, X-Forwarded-Proto",
            "Connection: close, Cookie",
            "X-HTTP-Method-Override: OPTIONS",
            "Authorization: Bearer " + pass,
            "Cookie: " + GateCheckFixture.COOKIE + "=; x=" + pass,
            "Cookie: __Host-" + GateCheckFixture.COOKIE + "=" + pass,
            "Cookie2: " + GateCheckFixture.COOKIE + "=" + pass);
    Map<String, Integer> admitted = new TreeMap<>();
    for (String line : smuggled) {
      Answer answer = RawHttp.send(port(kind), "GET", "/shop/cart", PAGE, line);
      if (!shop.visits().isEmpty() || answer.status() == 200) {
        admitted.put(line, answer.status());
        shop.forget();
      }
    }
    assertThat(admitted).isEmpty();
    // On an open path the request reaches the shop, without what the client invented.
    for (String line : smuggled) {
      shop.forget();
      Answer _ = RawHttp.send(port(kind), "GET", "/about", PAGE, line);
      for (ForeignShop.Visit visit : shop.visits()) {
        assertThat(visit.target()).isEqualTo("/about");
        for (Map.Entry<String, String> header : visit.headers().entrySet()) {
          String name = header.getKey().replace('_', '-');
          assertThat(name).as(line).doesNotStartWith("x-fairgate");
          assertThat(name)
              .as(line)
              .isNotIn(
                  "forwarded",
                  "x-original-url",
                  "x-original-uri",
                  "x-rewrite-url",
                  "x-forwarded-uri",
                  "x-forwarded-method",
                  "x-forwarded-prefix",
                  "x-forwarded-port");
          if (name.startsWith("x-forwarded")) {
            assertThat(header.getValue()).as(line).isIn("127.0.0.1", "http", GateCheckFixture.HOST);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void noSpellingOfAProtectedPathReachesTheShop(ShopProxy kind) {
    List<String> targets =
        List.of(
            "/shop",
            "/shop/",
            "/SHOP/cart",
            "/Shop",
            "/%73hop/cart",
            "/%53HOP",
            "/%2573hop/cart",
            "//shop/cart",
            "///shop",
            "/./shop/cart",
            "/%2e/shop/cart",
            "/a/../shop/cart",
            "/a/%2e%2e/shop/cart",
            "/a/%2E./shop",
            "/a/..%2fshop/cart",
            "/a/..%252fshop/cart",
            "/a/..%5cshop/cart",
            "/a/..\\shop/cart",
            "/\\shop",
            "/a/..;/shop/cart",
            "/shop;x=1/cart",
            "/;x/shop/cart",
            "/%2fshop/cart",
            "/shop%2fcart",
            "/shop%00",
            "/shop%20/../shop",
            "/shop?x=/shop/assets/",
            "/shop#/assets",
            "/shop/assets/../cart",
            "/shop/assets/%2e%2e/cart",
            "/shop/assets/..%2fcart",
            "/shop/assets/..%252fcart",
            "/shop/assets%2f..%2fcart",
            "/shop/assets/..\\cart",
            "/shop/assets/..%5ccart",
            "/shop/assets/..;/cart",
            "/shop/assets/.%2e/cart",
            "/shop/assetsx",
            "/shop/assets/../",
            "/shop/assets#/../cart",
            "/shop/webhooks/../../shop/cart",
            "/shop/assets/%zz",
            "/shop/assets/%c0%ae%c0%ae/cart",
            "/q/../shop/cart",
            "/q/%2e%2e/shop",
            "/q/..%2fshop",
            "/q//../shop/cart",
            "/.well-known/fairgate/../../shop",
            "/q/..;/shop",
            "/_fairgate_check/../shop",
            "http://shop.example.com/shop",
            "http://shop.example.com/about/../shop",
            "http://www.example.com/shop");
    Map<String, Integer> admitted = new TreeMap<>();
    for (String target : targets) {
      for (String method : List.of("GET", "POST")) {
        Answer answer = RawHttp.send(port(kind), method, target, PAGE);
        if (!shop.visits().isEmpty()) {
          admitted.put(method + " " + target, answer.status());
          shop.forget();
        }
      }
    }
    assertThat(admitted).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void noHostNameMakesAProtectedPathOpen(ShopProxy kind) {
    for (String host :
        List.of(
            "shop.example.com.",
            "SHOP.EXAMPLE.COM",
            "shop.example.com:80",
            "www.example.com",
            "localhost",
            "127.0.0.1",
            "shop.example.com, www.example.com",
            "shop.example.com@x",
            "",
            "x shop.example.com")) {
      Answer _ = RawHttp.send(port(kind), "GET", "/shop/cart", PAGE, "Host: " + host);
      assertThat(shop.visits()).as(host).isEmpty();
    }
    Answer _ =
        RawHttp.send(
            port(kind),
            "GET",
            "/shop/cart",
            PAGE,
            "Host: shop.example.com",
            "Host: www.example.com");
    assertThat(shop.visits()).isEmpty();
  }

  /// Caddy answers a host that its configuration does not name by itself.
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CADDY")
  void aRequestForAnotherHostIsToldTheReason(ShopProxy kind) {
    for (String method : List.of("GET", "POST")) {
      Answer answer =
          RawHttp.send(port(kind), method, "/shop/cart?x=1", new byte[9], "Host: www.example.com");
      assertThat(answer.status()).isEqualTo(403);
      assertThat(answer.body()).contains("FORBIDDEN", "other_host");
      assertThat(answer.header("cache-control")).isEqualTo("no-store");
    }
    assertThat(shop.visits()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void noTokenExceptAValidPassReachesTheShop(ShopProxy kind) {
    long now = Instant.now().getEpochSecond();
    RoomClaims right = GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now, now + 600);
    String pass = bed.token(RoomTokens.Type.PASS, right);
    String[] parts = pass.split("\\.", -1);
    String none = "eyJhbGciOiJub25lIiwia2lkIjoic2hvcC5wYXNzLmsxIiwidHlwIjoiZmctcGFzcytqd3QifQ";
    bed.revoked.add("revoked");
    RoomClaims revoked =
        new RoomClaims("shop", GateCheckFixture.EPOCH, 4, null, "revoked", now, now + 600, now);
    Stream.of(
            parts[0] + "." + parts[1] + ".",
            none + "." + parts[1] + ".",
            none + "." + parts[1] + "." + parts[2],
            pass + ".",
            "A".repeat(3_000),
            bed.token(RoomTokens.Type.PASS, revoked),
            bed.token(RoomTokens.Type.PLACE, right),
            bed.token(RoomTokens.Type.TURN, right),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("other", GateCheckFixture.EPOCH, now, now + 600)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH - 1, now, now + 600)),
            bed.token(
                RoomTokens.Type.PASS,
                GateCheckFixture.claims("shop", GateCheckFixture.EPOCH, now - 600, now)))
        .forEach(
            token -> {
              Answer answer = RawHttp.send(port(kind), "POST", "/shop/cart", cookie(token));
              assertThat(answer.status()).as(token).isEqualTo(429);
              assertThat(shop.visits()).as(token).isEmpty();
            });
  }

  @ParameterizedTest
  @EnumSource
  void noGiantTokenAndNoNumberOfCookiesReachesTheShop(ShopProxy kind) {
    String[] parts = bed.pass().split("\\.", -1);
    String name = "Cookie: " + GateCheckFixture.COOKIE + "=";
    List<String> lines =
        List.of(
            name + "A".repeat(6_000),
            name + parts[0] + "." + "A".repeat(5_000) + "." + parts[2],
            name + ".".repeat(5_000),
            name + "A".repeat(60_000),
            "Cookie: " + (GateCheckFixture.COOKIE + "=A; ").repeat(300),
            "Cookie: " + "x=y; ".repeat(12_000));
    for (String line : lines) {
      Answer answer = RawHttp.send(port(kind), "POST", "/shop/cart", line);
      assertThat(answer.status()).as(line.substring(0, 40)).isBetween(400, 599);
      assertThat(shop.visits()).isEmpty();
    }
    Answer still = RawHttp.send(port(kind), "GET", "/shop/cart", cookie(bed.pass()));
    assertThat(still.status()).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CADDY")
  void theShopEndsTheVisitWithAHeaderOfItsAnswer(ShopProxy kind) {
    String pass = bed.pass();
    Answer plain = RawHttp.send(port(kind), "GET", "/shop/cart", cookie(pass));
    assertThat(plain.status()).isEqualTo(200);
    Answer thanks = RawHttp.send(port(kind), "GET", "/shop/thanks", cookie(pass));
    assertThat(thanks.status()).isEqualTo(200);
    assertThat(thanks.body()).startsWith("shop: GET /shop/thanks");
    assertThat(thanks.headers()).doesNotContainKey("x-fairgate-release");
    Eventually.await("the visit is ended, once", () -> bed.released.equals(List.of(pass)));
    // Neither a client's own header nor an answer to somebody without a pass ends a visit.
    Answer _ = RawHttp.send(port(kind), "GET", "/shop/cart", cookie(pass), "X-Fairgate-Release: 1");
    Answer _ = RawHttp.send(port(kind), "GET", "/shop/thanks");
    Answer last = RawHttp.send(port(kind), "GET", "/shop/thanks?2", cookie(pass));
    assertThat(last.status()).isEqualTo(200);
    Eventually.await("two visits are ended", () -> bed.released.equals(List.of(pass, pass)));
  }

  @ParameterizedTest
  @EnumSource
  void theQuestionItselfCannotBeAskedFromOutside(ShopProxy kind) {
    for (String target :
        List.of(
            "/gate/check?room=shop&d=" + kind.name().toLowerCase(Locale.ROOT),
            "/_fairgate_check")) {
      Answer answer = RawHttp.send(port(kind), "GET", target, "X-Forwarded-Uri: /about");
      assertThat(answer.headers()).doesNotContainKeys("x-fairgate-pass", "x-fairgate-location");
      assertThat(answer.status()).isIn(200, 404);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theShopStaysClosedWhileFairgateDoesNotAnswer(ShopProxy kind) {
    int nobody;
    try (ForeignShop closed = ForeignShop.start()) {
      nobody = closed.port();
    }
    try (FrontProxy proxy = kind.start(nobody, shop.port())) {
      for (String target : List.of("/shop/cart", "/about", "/shop/assets/a.js")) {
        Answer answer = RawHttp.send(proxy.port(0), "GET", target, cookie(bed.pass()));
        assertThat(answer.status()).isIn(502, 503);
      }
    }
    assertThat(shop.visits()).isEmpty();
  }
}
