package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts.Buy;
import fairgate.SaleWorld;
import fairgate.kernel.Pass;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Purchase tokens as `purchase.lua` takes them.
final class PurchaseTokenTest {
  private final SaleWorld world = SaleWorld.open(2, "slots 100", "token 1", "token_ttl_ms 60000");

  private long issue(Buyer buyer, String token) {
    String reply = world.scripts().issue(buyer, token).await().text();
    assertThat(reply).startsWith("TOKEN " + token + " ");
    return Long.parseLong(reply.substring(reply.lastIndexOf(' ') + 1));
  }

  private Buy buy(Buyer buyer) {
    return new Buy(buyer, world.order(buyer), 1);
  }

  private String purchase(Buy buy) {
    return world.scripts().purchase(List.of(buy)).await().textAt(0);
  }

  private void refused(Buy buy, String word) {
    Map<String, String> before = world.dump();
    assertThat(purchase(buy)).isEqualTo(word);
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aGoodTokenBuysOnce() {
    Buyer buyer = world.ready();
    long expiry = issue(buyer, "t");
    Pass pass = new Pass(buyer.session(), buyer.device(), world.product(), "t", expiry, 1);
    PurchaseOutcome outcome =
        new PurchaseScript(world.redis())
            .run(
                world.keys(),
                PurchaseScript.shared(world.keys(), Duration.ofDays(11)),
                new PurchaseScript.Attempt(world.order(), buyer.session(), 1, pass, null))
            .await();
    assertThat(outcome).isInstanceOf(PurchaseOutcome.Reserved.class);
    assertThat(world.send("HGET", world.keys().token("t"), "used").text()).isEqualTo("1");
    assertThat(world.send("PEXPIRETIME", world.keys().token("t")).number()).isEqualTo(expiry);
    assertThat(purchase(buy(buyer).withToken("t", expiry, "1"))).startsWith("BOUGHT");
  }

  @Test
  void withoutAGoodTokenNobodyBuys() {
    Buyer buyer = world.ready();
    Buyer other = world.ready();
    long expiry = issue(buyer, "mine");
    assertThat(issue(other, "theirs")).isPositive();
    refused(buy(buyer), "BAD_TOKEN");
    refused(buy(buyer).withToken("nobodys", expiry, "1"), "BAD_TOKEN");
    refused(buy(buyer).withToken("theirs", expiry, "1"), "BAD_TOKEN");
    refused(buy(buyer).withToken("mine", world.now(), "1"), "BAD_TOKEN");
    refused(buy(buyer).withToken("mine", expiry, "2"), "BAD_TOKEN");
    world.sent("HSET", world.keys().token("mine"), "used", "1");
    refused(buy(buyer).withToken("mine", expiry, "1"), "BAD_TOKEN");
  }

  @Test
  void soldOutDoesNotUseUpTheToken() {
    Buyer first = world.ready();
    Buyer second = world.ready();
    Buyer third = world.ready();
    long expiry = issue(third, "third");
    assertThat(purchase(buy(first).withToken("first", issue(first, "first"), "1")))
        .startsWith("RESERVED");
    assertThat(purchase(buy(second).withToken("second", issue(second, "second"), "1")))
        .startsWith("RESERVED");
    refused(buy(third).withToken("third", expiry, "1"), "SOLD_OUT");
    assertThat(world.send("HGET", world.keys().token("third"), "used").text()).isEqualTo("0");
    assertThat(world.scripts().stockBatch(2, 1).await().text()).isEqualTo("APPLIED");
    assertThat(purchase(buy(third).withToken("third", expiry, "1"))).startsWith("RESERVED");
  }
}
