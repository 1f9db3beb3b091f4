package fairgate.app.cluster;

import static fairgate.app.cluster.ClusterShop.joinBody;
import static fairgate.app.cluster.ClusterShop.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.testkit.Eventually;
import fairgate.testkit.RedisCluster;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Moving slots and dying masters of a cluster during sales.
@Tag("proof")
class RedisClusterOutageIT {
  private static ClusterShop shop;
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    shop = new ClusterShop();
    cluster = shop.cluster();
  }

  @AfterAll
  static void stop() {
    shop.close();
  }

  @Test
  void aSaleContinuesOnTheNewMasterOfItsSlotWithoutLosses() throws Exception {
    String sale = shop.sale(0, 4);
    shop.buy(sale);
    String waiting = shop.join(sale);
    int slot = cluster.slot("{" + sale + "}");
    cluster.beginMove(slot, 0, 2);
    assertThat(cluster.moveKeys(slot, 0, 2, 3)).isEqualTo(3);
    HttpResponse<String> meanwhile = shop.server().call("POST", "/api/queue/join", joinBody(sale));
    assertThat(meanwhile.statusCode()).as(meanwhile.body()).isEqualTo(503);
    assertThat(meanwhile.headers().firstValue("retry-after")).isPresent();
    cluster.endMove(slot, 0, 2);

    assertThat(shop.buy(sale, waiting).path("success").asBoolean()).isTrue();
    shop.buy(sale);
    shop.buy(sale);
    shop.paid(sale, 4);
    JsonNode live = shop.live(sale);
    assertThat(live.path("confirmed").asInt()).isEqualTo(4);
    assertThat(live.path("balanced").asBoolean()).isTrue();
    assertThat(live.path("epoch").asInt())
        .as("another Redis opens an epoch; nothing was rebuilt")
        .isGreaterThan(1);
    assertThat(cluster.call(0, "EXISTS", "product:stock:{" + sale + "}")).startsWith("MOVED");
  }

  @Test
  void whenAMasterDiesOtherSalesContinueAndItsOwnReturnWithIt() throws Exception {
    String lost = shop.sale(1, 3);
    String kept = shop.sale(2, 3);
    shop.buy(lost);
    shop.buy(kept);
    cluster.kill(1);
    Eventually.await(() -> shop.health().contains(cluster.node(1)));
    Eventually.await(() -> shop.server().call("GET", "/health/ready", "").statusCode() == 200);
    Eventually.await(() -> json(shop.health()).path("degraded").asBoolean());
    shop.buy(kept);
    HttpResponse<String> refused = shop.server().call("POST", "/api/queue/join", joinBody(lost));
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(json(refused.body()).path("error").asText()).isEqualTo("SERVICE_UNAVAILABLE");
    shop.paid(kept, 2);
    // Sales are created and get stock meanwhile.
    shop.buy(shop.sale(0, 1));

    cluster.restart(1);
    Eventually.await(() -> !shop.health().contains(cluster.node(1)));
    shop.buy(lost);
    shop.buy(kept);
    shop.buy(lost);
    shop.paid(lost, 3);
    JsonNode live = shop.live(lost);
    assertThat(live.path("free").asInt()).isZero();
    assertThat(live.path("balanced").asBoolean()).isTrue();
    assertThat(live.path("epoch").asInt()).isGreaterThan(1);
  }

  @Test
  void onlyTheSalesOfAMasterThatReturnsEmptyAreRebuilt() throws Exception {
    String lost = shop.sale(0, 2);
    String kept = shop.sale(2, 2);
    String session = shop.join(lost);
    shop.buy(lost, session);
    shop.buy(kept);
    shop.paid(lost, 1);
    cluster.kill(0);
    cluster.loseData(0);
    cluster.restart(0);
    Eventually.await(() -> shop.live(lost).path("epoch").asInt() > 1);
    Eventually.await(() -> shop.live(lost).path("state").asText().equals("open"));
    assertThat(shop.live(kept).path("epoch").asInt()).isEqualTo(1);
    // Found by its id, by a server without any cached state.
    assertThat(cluster.call(0, "GET", "session:" + session + ":product")).isEqualTo(lost);
    shop.buy(lost);
    shop.paid(lost, 2);
    assertThat(shop.live(lost).path("free").asInt()).isZero();
    assertThat(shop.live(lost).path("confirmed").asInt()).isEqualTo(2);
  }
}
