package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoomRulesTest {
  private static RoomRules rules(List<String> include, List<String> exclude, String... methods) {
    return new RoomRules(
        List.of("shop.example", "*.tickets.example"),
        include.stream().map(PathRule::of).toList(),
        exclude.stream().map(PathRule::of).toList(),
        Set.of(methods));
  }

  private static boolean isProtected(RoomRules rules, String target) {
    return rules.protects("GET", "shop.example", target);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shop",
        "/shop/",
        "/shop/cart",
        "/SHOP/cart",
        "/shop?x=1",
        "/shop#x",
        "/%73hop/cart",
        "/%53hop",
        "/%2573hop",
        "/%252573hop",
        "//shop",
        "/./shop",
        "/a/../shop",
        "/a/%2e%2e/shop",
        "/a/%2E%2E%2Fshop",
        "/a\\..\\shop",
        "/a/%5c../%5cshop",
        "/shop;jsessionid=1",
        "/a;x/../shop",
        "/a/..;/shop",
        "/;x/shop",
        "/%73%68%6f%70",
        "/shop%2fcart",
        "/shop%00",
        "/shop%",
        "/%zz",
        "/%c0%ae",
        "/%25252573hop",
        "/\u017fhop",
        "/x/..%252fshop",
        "/../shop",
        "/a//..//shop",
        "/shop.",
        "/shop%20",
        "/shop.%20.",
        "/shop::$DATA",
        "/shop:x:$data",
        "/shop%3a%3a$DATA",
        "/shop./cart",
        "/shop%20/cart",
        "/a/..%20/shop",
        "/a:$I30/../shop.",
        "/shop.;x=1"
      })
  void everySpellingOfAProtectedPathIsProtected(String target) {
    assertThat(isProtected(rules(List.of("/shop"), List.of()), target)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/shopping",
        "/shop.css",
        "/shopping.",
        "/x:shop",
        "/about/shop",
        "/shop/../about",
        "/shop-2",
        "/about?p=/shop"
      })
  void otherPathsAreNotProtected(String target) {
    assertThat(isProtected(rules(List.of("/shop"), List.of()), target)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/assets/../cart", "/assets/%2e%2e/cart", "/assets/..;/cart", "/assets/..%2fcart",
        "/assets\\..\\cart", "/assets/..%252fcart", "/assets;/../cart", "/assetsx/a.js"
      })
  void noSpellingOfAProtectedPathPassesAsAnExcludedOne(String target) {
    assertThat(isProtected(rules(List.of("/"), List.of("/assets")), target)).isTrue();
  }

  @Test
  void excludedPathsAreFree() {
    RoomRules rules = rules(List.of("/"), List.of("/assets", "/**.css", "/hook/*/done"));
    assertThat(
            Stream.of("/assets/a.js", "/ASSETS/a.js", "/x/y.css", "/hook/7/done")
                .filter(target -> isProtected(rules, target)))
        .isEmpty();
    assertThat(isProtected(rules, "/hook/7/8/done")).isTrue();
    assertThat(isProtected(rules, "/css")).isTrue();
  }

  @Test
  void aGlobStaysWithinItsSegmentUnlessItHasTwoStars() {
    assertThat(PathRule.of("/a/*/c").matches("/a/b/c")).isTrue();
    assertThat(PathRule.of("/a/*/c").matches("/a/b/b/c")).isFalse();
    assertThat(PathRule.of("/a/**/c").matches("/a/b/b/c")).isTrue();
    assertThat(PathRule.of("/a?c").matches("/abc")).isTrue();
    assertThat(PathRule.of("/a?c").matches("/a/c")).isFalse();
    assertThat(PathRule.of("/A*").matches("/abc")).isTrue();
    assertThat(PathRule.of("/" + "*a".repeat(60)).matches("/" + "a".repeat(2_000) + "b")).isFalse();
  }

  @Test
  void hostsAreComparedWithoutPortCaseAndRootDot() {
    RoomRules rules = rules(List.of("/"), List.of());
    assertThat(
            Stream.of("shop.example", "SHOP.example:443", "shop.example.", "a.b.tickets.example")
                .allMatch(rules::isHost))
        .isTrue();
    assertThat(
            Stream.of(
                    "",
                    "evil.example",
                    "shop.example.evil.example",
                    "tickets.example",
                    "xshop.example",
                    "shop.example:@evil.example",
                    "shop.example:80@evil.example",
                    "shop.example:80:80",
                    "user@shop.example",
                    "evil.example/.tickets.example",
                    "evil.example#.tickets.example")
                .noneMatch(rules::isHost))
        .isTrue();
  }

  @Test
  void methodsLimitTheRuleAndHeadCountsAsGet() {
    RoomRules rules = rules(List.of("/"), List.of(), "GET");
    assertThat(rules.protects("HEAD", "shop.example", "/")).isTrue();
    assertThat(rules.protects("get", "shop.example", "/")).isTrue();
    assertThat(rules.protects("POST", "shop.example", "/")).isFalse();
    assertThat(rules(List.of("/"), List.of()).protects("POST", "shop.example", "/")).isTrue();
  }

  @Test
  void aPathTooLongToCompareIsProtected() {
    assertThat(isProtected(rules(List.of("/shop"), List.of()), "/" + "a".repeat(3_000))).isTrue();
  }

  @Test
  void urlsThatNobodySignedHaveAPortWhereTheShopIsKnownToBe() {
    String shop = "http://shop.example:8080/";
    assertThat(
            Stream.of(
                    "https://shop.example/a",
                    "https://shop.example:443/a",
                    "http://shop.example:80/a",
                    "http://shop.example:8080/b")
                .allMatch(url -> RoomRules.hasKnownPort(url, shop)))
        .isTrue();
    assertThat(
            Stream.of("http://shop.example:8444/", "https://shop.example:80/")
                .noneMatch(url -> RoomRules.hasKnownPort(url, shop)))
        .isTrue();
    assertThat(RoomRules.hasKnownPort("http://shop.example:8080/b", "")).isFalse();
  }

  @Test
  void onlyUrlsOfTheRoomsHostsAreItsOwn() {
    RoomRules rules = rules(List.of("/"), List.of());
    assertThat(
            Stream.of("https://shop.example/a?b#c", "http://SHOP.example:8080/")
                .allMatch(rules::isOwn))
        .isTrue();
    assertThat(
            Stream.of(
                    "//shop.example/",
                    "/a",
                    "javascript:alert(1)",
                    "https://shop.example@evil.example/",
                    "https://user@shop.example/",
                    "https://evil.example/shop.example",
                    "https:shop.example",
                    "https://shop.example\\@evil.example/",
                    "ftp://shop.example/",
                    "https://")
                .noneMatch(rules::isOwn))
        .isTrue();
  }
}
