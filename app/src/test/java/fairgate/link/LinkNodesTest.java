package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Three nodes on the same engines.
class LinkNodesTest {
  private static TestEngines engines;
  private static LinkWorld world;

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    world = new LinkWorld(engines, 3, Map.of());
    world.nodes().forEach(LinkNodesTest::awaitUseOfRedis);
  }

  /// A node that has just started looks through what was changed before it trusts Redis. What it
  /// finds it writes there a moment after its answer.
  private static void awaitUseOfRedis(TestFairgate node) {
    List<String> codes = new ArrayList<>();
    Eventually.await(
        "a link is kept in Redis",
        () -> {
          codes.add("n" + UUID.randomUUID());
          int _ = world.status(node, codes.getLast());
          return codes.stream().anyMatch(code -> engineKey(code).equals("__nil__"));
        });
  }

  @AfterAll
  static void stop() {
    world.close();
    engines.close();
  }

  private static boolean everywhere(String code, int status) {
    return world.nodes().stream().allMatch(node -> world.status(node, code) == status);
  }

  @Test
  void aCreatedDisabledOrBannedLinkIsSoOnEveryNode() {
    String code = "n" + UUID.randomUUID();
    // Asked for before it is there.
    LinkWorld.await(() -> everywhere(code, 404));
    assertThat(
            world
                .create("{\"url\":\"https://x.example/\",\"code\":\"" + code + "\"}")
                .path("code")
                .asText())
        .isEqualTo(code);
    LinkWorld.await(() -> everywhere(code, 302));
    TestFairgate second = world.node(1);
    var _ =
        second.admin("POST", "/links/hosts", "{\"host\":\"x.example\",\"reason\":\"phishing\"}");
    LinkWorld.await(() -> everywhere(code, 410));
    var _ = second.admin("DELETE", "/links/hosts/x.example", "");
    LinkWorld.await(() -> everywhere(code, 302));
    var _ = second.admin("POST", "/links/" + code + "/ban", "{\"reason\":\"phishing\"}");
    LinkWorld.await(() -> everywhere(code, 410));
    var _ = second.admin("POST", "/links/" + code + "/unban", "");
    LinkWorld.await(() -> everywhere(code, 302));
    assertThat(world.call("DELETE", "/api/v1/shortlinks/" + code, "").statusCode()).isEqualTo(200);
    LinkWorld.await(() -> everywhere(code, 410));
  }

  @Test
  void aNewTargetIsSoOnEveryNode() {
    String code = world.link("https://example.com/old");
    LinkWorld.await(() -> everywhere(code, 302));
    HttpResponse<String> changed =
        world.call("PATCH", "/api/v1/shortlinks/" + code, "{\"url\":\"https://example.com/new\"}");
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(200);
    LinkWorld.await(
        () ->
            world.nodes().stream()
                .map(node -> world.follow(node, code).headers().firstValue("location"))
                .allMatch(place -> place.orElse("").equals("https://example.com/new")));
  }

  @Test
  void aCodeThatLeadsNowhereCostsEachNodeOneRead() {
    String code = "n" + UUID.randomUUID();
    String reads = "fairgate_link_lookups_total{result=\"absent\",tier=\"database\"}";
    double[] before =
        world.nodes().stream().mapToDouble(n -> LinkWorld.counted(n, reads)).toArray();
    for (TestFairgate node : world.nodes()) {
      IntStream.range(0, 40)
          .mapToObj(_ -> CompletableFuture.supplyAsync(() -> world.status(node, code)))
          .toList()
          .forEach(status -> assertThat(status.join()).isEqualTo(404));
    }
    for (int i = 0; i < before.length; i++) {
      assertThat(LinkWorld.counted(world.node(i), reads) - before[i]).isLessThanOrEqualTo(1);
    }
    // Redis is told beside the answer.
    LinkWorld.await(() -> engineKey(code).equals("__nil__"));
  }

  @Test
  void aLimitHoldsOverAllNodes() {
    String code =
        world.create("{\"url\":\"https://example.com/\",\"max_visits\":50}").path("code").asText();
    long passed =
        IntStream.range(0, 200)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> world.status(world.node(i % 3), code),
                        task -> Thread.ofVirtual().start(task)))
            .toList()
            .stream()
            .filter(status -> status.join() == 302)
            .count();
    assertThat(passed).isEqualTo(50);
  }

  @Test
  void aFileOfManyLinksDoesNotKeepAnybodyFromHearing() {
    String code = world.link("https://example.com/");
    LinkWorld.await(() -> everywhere(code, 302));
    assertThat(
            world.sql(
                "INSERT INTO short_links (code, url, owner, redirect_status) SELECT 'bulk-' || i,"
                    + " 'https://example.com/' || i, 'somebody', 302 FROM generate_series(1, 10000)"
                    + " i"))
        .isEmpty();
    assertThat(world.call("DELETE", "/api/v1/shortlinks/" + code, "").statusCode()).isEqualTo(200);
    LinkWorld.await(() -> everywhere(code, 410));
    LinkWorld.await(() -> engineKey("bulk-9999").contains(" active "));
    LinkWorld.await(() -> everywhere("bulk-77", 302));
  }

  private static String engineKey(String code) {
    return RespConnection.call(engines.redisUri(), "GET", "sl:" + code);
  }
}
