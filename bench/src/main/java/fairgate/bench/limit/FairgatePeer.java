package fairgate.bench.limit;

import fairgate.gate.limit.LimitFacts;
import fairgate.gate.limit.LimitFeature;
import fairgate.gate.limit.LimitFeature.Callers;
import fairgate.gate.limit.LimitPlan;
import fairgate.gate.limit.LimitRule;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitVerdict;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Ours: the limiter as the server wires it.
final class FairgatePeer implements Peer {
  private static final String NAME = "bench";

  private final RedisNode node;
  private final LimitFeature feature;
  private @Nullable LimitRule current;

  FairgatePeer(String uri) {
    this.node = new RedisNode(uri);
    this.feature = feature(node);
  }

  private static LimitFeature feature(RedisNode node) {
    return LimitFeature.wire(
        new LimitFeature.Config(List.of(), 10, 10, Duration.ofSeconds(5)),
        new LimitFeature.Dependencies(
            node.vertx(), node.redis(), new Metrics(), List.of(), Callers.GUESTS));
  }

  /// All keys share one limit.
  @Override
  public BooleanSupplier open(String key, int perSecond, int burst) {
    LimitRule rule =
        new LimitRule(
            NAME,
            Dimension.IP,
            LimitRule.Semantics.RATE,
            perSecond,
            1,
            burst,
            LimitRule.OnFailure.CLOSED);
    LimitPlan plan = feature.limiter().plan(key, List.of(NAME));
    if (!rule.equals(current)) {
      current = rule;
      feature.limiter().replace(List.of(rule));
    }
    LimitFacts facts = new LimitFacts(key, null, null, null, null, null, null, null);
    return () -> granted(feature.limiter().check(plan, facts));
  }

  private static boolean granted(Future<LimitVerdict> verdict) {
    LimitVerdict known =
        verdict.isComplete()
            ? verdict.result()
            : verdict.toCompletionStage().toCompletableFuture().join();
    return known instanceof LimitVerdict.Granted;
  }

  @Override
  public void close() {
    node.close();
  }
}
