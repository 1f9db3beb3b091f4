package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The limits of the table, as a caller meets them.
class LinkLimitsTest {
  private static List<HttpResponse<String>> creations(LinkWorld world, int count) {
    List<HttpResponse<String>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      // Both nodes in turn: the budget is that of the address, not of the node.
      TestFairgate node = world.node(i % world.nodes().size());
      all.add(
          world.call(
              node, "POST", "/api/v1/shortlinks", "{\"url\":\"https://example.com/" + i + "\"}"));
    }
    return all;
  }

  private static void tenOfFifteen(List<HttpResponse<String>> answers) {
    assertThat(answers).filteredOn(a -> a.statusCode() == 201).hasSize(10);
    assertThat(answers)
        .filteredOn(a -> a.statusCode() == 429)
        .hasSize(5)
        .allSatisfy(
            a ->
                assertThat(Integer.parseInt(a.headers().firstValue("retry-after").orElseThrow()))
                    .isBetween(1, 75));
  }

  @Test
  void limitsHoldOverNodesAndWithoutRedis() {
    try (TestEngines engines = TestEngines.privateEngines();
        LinkWorld world =
            new LinkWorld(
                engines,
                2,
                Map.of(
                    "limits", "on",
                    "limit.redirect", "20/60s window open",
                    "links.miss_per_minute", "5"))) {
      List<HttpResponse<String>> answers = creations(world, 15);
      tenOfFifteen(answers);
      String code = LinkWorld.json(answers.getFirst()).path("code").asText();
      int followed = 0;
      while (followed < 20 && world.status(world.node(followed % 2), code) == 302) {
        followed++;
      }
      assertThat(followed).as("of twenty a minute").isBetween(1, 20);
      HttpResponse<String> refused = world.follow(world.node(1), code);
      assertThat(refused.statusCode()).isEqualTo(429);
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      engines.killRedis();
      // A link may have to be read from the database first, while connections are being lost.
      LinkWorld.await(
          java.time.Duration.ofSeconds(10), () -> world.status(world.node(0), code) == 302);
      for (int i = 0; i < 30; i++) {
        assertThat(world.status(world.node(0), code)).as("open without Redis").isEqualTo(302);
      }
      world.nodes().removeLast().close();
      List<HttpResponse<String>> local = creations(world, 15);
      // None at all while the node remembers until when the budget shared before is used up.
      assertThat(local).filteredOn(a -> a.statusCode() == 201).hasSizeLessThanOrEqualTo(10);
      assertThat(local)
          .filteredOn(a -> a.statusCode() == 429)
          .hasSizeGreaterThanOrEqualTo(5)
          .allMatch(a -> a.headers().firstValue("retry-after").isPresent());
      engines.restartRedis();
    }
  }
}
