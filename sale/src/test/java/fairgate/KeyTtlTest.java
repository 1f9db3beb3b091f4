package fairgate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleScripts.Buy;
import fairgate.SaleScripts.Join;
import fairgate.kernel.OrderId;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Facts never end by themselves; caches and credentials always do. After a sale in which
/// everything happened, every key is one that `docs/redis-keys.md` names, and obeys its rule.
final class KeyTtlTest {
  /// Kind of key, by a pattern of its name, to the longest it may live, in seconds; 0 = for ever.
  private static final Map<String, Long> RULES =
      Map.ofEntries(
          Map.entry("product:stock:\\d+", 0L),
          Map.entry("event:\\d+:sale", 0L),
          Map.entry("queue:(waiting|active|ready|devices):product:\\d+", 0L),
          Map.entry("purchases:product:\\d+", 0L),
          Map.entry("order:order_\\d+_\\w{26}", 0L),
          Map.entry("orders:pending:product:\\d+", 0L),
          Map.entry("event:\\d+:(user|fp):[^:]+:bought", 0L),
          Map.entry("event:\\d+:outbox", 0L),
          Map.entry("session:[0-9a-f-]{36}", 87_000L),
          Map.entry("purchase:lock:[0-9a-f-]{36}", 300L),
          Map.entry("event:\\d+:(user|fp):[^:]+:cooldown", 60L),
          Map.entry("event:\\d+:(user|fp):[^:]+:pauses", 86_400L),
          Map.entry("event:\\d+:token:[^:]+", 60L),
          Map.entry("event:\\d+:idem:[^:]+", 950_400L),
          Map.entry("event:\\d+:challenge:[^:]+", 60L));

  private final SaleWorld world =
      SaleWorld.open(
          20,
          "capacity 8 slots 5 token 1 token_ttl_ms 60000 payment 1 payment_ms 600000",
          "presence_ms 60000");

  private OrderId buy(Buyer buyer, String key) {
    String token = "token-" + key;
    String issued = world.scripts().issue(buyer, token).await().text();
    assertThat(issued).startsWith("TOKEN");
    long expiry = Long.parseLong(issued.substring(issued.lastIndexOf(' ') + 1));
    Buy buy =
        new Buy(buyer, world.order(buyer), 1).withToken(token, expiry, "1").withKey(key, "print");
    assertThat(world.scripts().purchase(List.of(buy)).await().textAt(0)).startsWith("RESERVED");
    return buy.order();
  }

  private void everythingHappens() {
    List<Buyer> all = world.buyers(12);
    List<Join> joins = all.stream().map(b -> new Join(b, "", "nonce-" + b.session())).toList();
    assertThat(world.scripts().join(joins).await().texts().subList(0, joins.size()))
        .allMatch(r -> r.startsWith("JOINED"));
    assertThat(world.admitReady()).hasSize(5);
    assertThat(all).extracting(world::status).doesNotContain("UNKNOWN");
    OrderId paid = buy(all.get(0), "paid");
    OrderId unpaid = buy(all.get(1), "unpaid");
    OrderId cancelled = buy(all.get(2), "cancelled");
    assertThat(buy(all.get(3), "pending")).isNotNull();
    assertThat(world.scripts().confirm(all.get(0), paid, "pay", 9_999).await().textAt(0))
        .isEqualTo("CONFIRMED");
    world.sent("HSET", world.keys().order(unpaid), "pay_by", Long.toString(world.now() - 1));
    assertThat(world.scripts().release(all.get(1), unpaid, "expired").await().textAt(0))
        .isEqualTo("RELEASED");
    assertThat(world.scripts().release(all.get(2), cancelled, "cancelled").await().textAt(0))
        .isEqualTo("RELEASED");
    world.windowPasses(all.get(4));
    assertThat(world.scripts().expire(10).await().missed()).isEqualTo(1);
    assertThat(world.scripts().leave(all.get(5)).await().text()).startsWith("LEFT");
    world.lastSeen(all.get(8), Duration.ofSeconds(70));
    world.reachableFor(Duration.ofSeconds(70));
    assertThat(world.admit().at(2).number()).isEqualTo(1);
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    assertThat(world.scripts().issue(all.get(6), "last").await().text()).startsWith("TOKEN");
    Buyer waits = world.buyer();
    assertThat(world.join(waits)).containsExactly("JOINED 0");
    assertThat(world.join(world.buyers(7))).hasSize(7);
    assertThat(world.admit().size()).isPositive();
  }

  @Test
  void everyKeyIsNamedAndObeysItsRule() {
    everythingHappens();
    Set<String> seen = new HashSet<>();
    for (String name : world.names()) {
      String rule =
          RULES.keySet().stream().filter(name::matches).findFirst().orElse("no rule for " + name);
      assertThat(RULES).containsKey(rule);
      seen.add(rule);
      long max = RULES.getOrDefault(rule, 0L);
      long rest = world.send("TTL", name).number();
      if (max == 0) {
        assertThat(rest).as(name).isEqualTo(-1);
      } else {
        assertThat(rest).as(name).isBetween(0L, max);
      }
    }
    assertThat(seen).as("kinds of keys the run made").isEqualTo(RULES.keySet());
  }
}
