package fairgate.gate.limit;

import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

/// Puts refusals of limits on the wire: 429 with `Retry-After`, and the fields of the IETF's draft
/// "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-11), a policy for each
/// limit in the way.
final class LimitReplies {
  private static final String CONCURRENT = "concurrent";
  private static final Duration SOON = Duration.ofSeconds(1);

  private final Ids ids;
  private final IntUnaryOperator chance;

  /// @param chance a random number from 0 up to, not including, its argument
  LimitReplies(Ids ids, IntUnaryOperator chance) {
    this.ids = ids;
    this.chance = chance;
  }

  Reply refused(Refused refused) {
    List<Violation> all = refused.violations();
    List<String> names = new ArrayList<>(all.size());
    StringBuilder policies = new StringBuilder(64);
    StringBuilder states = new StringBuilder(64);
    for (Violation violation : all) {
      LimitRule rule = violation.rule();
      if (!names.isEmpty()) {
        policies.append(", ");
        states.append(", ");
      }
      names.add(rule.name());
      policies.append('"').append(rule.name()).append("\";q=").append(rule.most());
      policies.append(";w=").append(rule.seconds());
      states.append('"').append(rule.name()).append("\";r=0;t=");
      states.append(seconds(violation.waitNanos()));
    }
    return reply(names, seconds(refused.retryAfter().toNanos()))
        .header("ratelimit-policy", policies.toString())
        .header("ratelimit", states.toString());
  }

  /// An address has too much running.
  Reply crowded(Slots slots) {
    return reply(List.of(CONCURRENT), 1)
        .header(
            "ratelimit-policy",
            "\"%s\";q=%d;qu=\"concurrent-requests\"".formatted(CONCURRENT, slots.most()))
        .header("ratelimit", "\"" + CONCURRENT + "\";r=0;t=1");
  }

  /// Redis is away, and a limit lets nobody pass then.
  static Reply unavailable() {
    return Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
  }

  /// A signed request that was there before.
  static Reply replayed() {
    return Reply.refuse(Refusal.of(ErrorCode.INVALID_SIGNATURE).with("reason", "nonce"));
  }

  /// Those told to wait come back spread over a tenth of their wait, at least over a second more.
  private Reply reply(List<String> policies, long seconds) {
    int spread = (int) Math.min(3_600, 2 + seconds / 10);
    Map<String, Object> details = LinkedHashMap.newLinkedHashMap(2);
    details.put("violated_policies", policies);
    details.put("decision_id", ids.nonce());
    return Reply.refuse(
        new Refusal(
            ErrorCode.RATE_LIMIT_EXCEEDED,
            Duration.ofSeconds(seconds + chance.applyAsInt(spread)),
            details));
  }

  /// Whole seconds, rounded up: never earlier than it will be granted.
  private static long seconds(long nanos) {
    return Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
  }
}
