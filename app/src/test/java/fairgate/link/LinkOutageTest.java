package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.RespConnection;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What becomes of links while an engine is away.
class LinkOutageTest {
  private TestEngines engines;
  private LinkWorld world;

  @BeforeEach
  void start() {
    engines = TestEngines.privateEngines();
    world = new LinkWorld(engines, 2, Map.of());
  }

  @AfterEach
  void stop() {
    world.close();
    engines.close();
  }

  private String redis(String code) {
    return RespConnection.call(engines.redisUri(), "GET", "sl:" + code);
  }

  @Test
  void withoutTheDatabaseKnownLinksGoOnAndUnknownOnesAreNotCalledMissing() {
    TestFairgate node = world.node(0);
    TestFairgate other = world.node(1);
    String inMemory = world.link("https://example.com/memory");
    assertThat(world.status(node, inMemory)).isEqualTo(302);
    String inRedis = world.link("https://example.com/redis");
    LinkWorld.await(() -> redis(inRedis).contains(" active "));
    world.warm(other);
    engines.pausePostgres();
    try {
      for (int i = 0; i < 20; i++) {
        assertThat(world.status(node, inMemory)).isEqualTo(302);
      }
      // A node asks the database while Redis is late.
      LinkWorld.await(() -> world.status(other, inRedis) == 302);
      HttpResponse<String> unknown = world.follow(node, "nobody-knows");
      assertThat(unknown.statusCode()).isEqualTo(503);
      assertThat(unknown.headers().firstValue("retry-after")).isPresent();
      assertThat(redis("nobody-knows")).isEmpty();
    } finally {
      engines.resumePostgres();
    }
    LinkWorld.await(() -> world.status(node, "nobody-knows") == 404);
  }

  @Test
  void withoutRedisLinksGoOnAndWhatIsDisabledMeanwhileStaysSo() {
    TestFairgate node = world.node(0);
    String kept = world.link("https://example.com/kept");
    String disabled = world.link("https://example.com/disabled");
    assertThat(world.status(node, kept)).isEqualTo(302);
    assertThat(world.status(world.node(1), disabled)).isEqualTo(302);
    LinkWorld.await(() -> redis(disabled).contains(" active "));
    engines.killRedis();
    String fresh = world.link("https://example.com/fresh");
    for (TestFairgate one : world.nodes()) {
      assertThat(world.status(one, kept)).isEqualTo(302);
      assertThat(world.status(one, fresh)).as("from the database").isEqualTo(302);
    }
    assertThat(world.call("DELETE", "/api/v1/shortlinks/" + disabled, "").statusCode())
        .isEqualTo(200);
    LinkWorld.await(
        () -> world.nodes().stream().allMatch(one -> world.status(one, disabled) == 410));
    // Redis comes back with the link as it was, and is told before anybody believes it.
    engines.restartRedis();
    LinkWorld.await(() -> redis(disabled).contains(" disabled "));
    TestFairgate third = world.addNode();
    assertThat(world.status(third, disabled)).isEqualTo(410);
  }

  @Test
  void aRedisThatAnswersNothingHoldsNobodyUpForLong() {
    TestFairgate node = world.node(0);
    String known = world.link("https://example.com/known");
    assertThat(world.status(node, known)).isEqualTo(302);
    engines.pauseRedis();
    try {
      assertThat(world.status(node, known)).isEqualTo(302);
      assertThat(world.call("DELETE", "/api/v1/shortlinks/" + known, "").statusCode())
          .isEqualTo(200);
      assertThat(world.status(node, known)).isEqualTo(410);
    } finally {
      engines.resumeRedis();
    }
  }
}
