package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.kernel.Pass;
import fairgate.queue.QueueScripts.IssuePassScript;
import fairgate.queue.QueueScripts.StatusScript;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class IssuePassScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "token 1", "token_ttl_ms 60000");
  private final IssuePassScript script = new IssuePassScript(world.redis());

  private Optional<Pass> issue(Buyer buyer, String nonce) {
    Place place = new StatusScript(world.redis()).run(buyer.session()).await().orElseThrow();
    return script.run(world.keys(), place, nonce).await();
  }

  private void nothingIsIssued(Buyer buyer) {
    Map<String, String> before = world.dump();
    assertThat(issue(buyer, "n-" + buyer.session())).isEmpty();
    assertThat(world.dump()).isEqualTo(before);
  }

  private void shift(Buyer buyer, String field, long at) {
    world.sent("HSET", world.keys().session(buyer.session()), field, Long.toString(at));
  }

  @Test
  void aReadySessionGetsATokenOfItsOwn() {
    Buyer buyer = world.ready();
    Pass pass = issue(buyer, "first").orElseThrow();
    assertThat(pass.session()).isEqualTo(buyer.session());
    assertThat(pass.product()).isEqualTo(world.product());
    assertThat(pass.deviceHash()).isEqualTo(buyer.device());
    assertThat(pass.nonce()).isEqualTo("first");
    assertThat(pass.epoch()).isEqualTo(1);
    assertThat(pass.expiresAt()).isBetween(world.now() + 30_000, world.now() + 60_000);
    String key = "event:" + world.product() + ":token:first";
    assertThat(world.send("HMGET", key, "session", "used", "expiry").texts())
        .containsExactly(buyer.session().value(), "0", Long.toString(pass.expiresAt()));
    assertThat(world.send("PEXPIRETIME", key).number()).isEqualTo(pass.expiresAt());
    assertThat(world.session(buyer, "token")).isEqualTo("first");
  }

  @Test
  void aRepeatGivesTheSameTokenAndChangesNothing() {
    Buyer buyer = world.ready();
    Optional<Pass> first = issue(buyer, "kept");
    Map<String, String> before = world.dump();
    assertThat(issue(buyer, "other")).isEqualTo(first);
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aTokenInItsSecondHalfIsReplaced() {
    Buyer buyer = world.ready();
    assertThat(issue(buyer, "old")).isPresent();
    shift(buyer, "token_expiry", world.now() + 4_000);
    assertThat(issue(buyer, "new").orElseThrow().nonce()).isEqualTo("new");
  }

  @Test
  void noTokenOutlivesThePurchaseWindow() {
    Buyer buyer = world.ready();
    long end = world.now() + 30_000;
    shift(buyer, "purchase_timeout_at", end);
    assertThat(issue(buyer, "short").orElseThrow().expiresAt()).isEqualTo(end);
  }

  @Test
  void nobodyElseGetsOne() {
    Buyer ready = world.ready();
    Buyer active = world.buyer();
    assertThat(world.join(active)).hasSize(1);
    nothingIsIssued(active);
    assertThat(world.admit().at(1).number()).isEqualTo(1);
    nothingIsIssued(active);
    shift(ready, "purchase_timeout_at", world.now());
    nothingIsIssued(ready);
  }

  @Test
  void whereNoTokensAreNeededNoneAreIssued() {
    SaleWorld plain = SaleWorld.open(1);
    Buyer buyer = plain.ready();
    assertThat(plain.scripts().issue(buyer, "n").await().text()).isEqualTo("NOT_READY");
    assertThat(plain.names()).noneMatch(name -> name.contains(":token:"));
  }

  @Test
  void aTokenRecordEndsByItself() {
    SaleWorld quick = SaleWorld.open(1, "token 1", "token_ttl_ms 100");
    Buyer buyer = quick.ready();
    assertThat(quick.scripts().issue(buyer, "q").await().text()).startsWith("TOKEN q ");
    SaleWorld.await(() -> quick.send("EXISTS", quick.keys().token("q")).number() == 0);
    assertThat(quick.scripts().issue(buyer, "r").await().text()).startsWith("TOKEN r ");
  }
}
