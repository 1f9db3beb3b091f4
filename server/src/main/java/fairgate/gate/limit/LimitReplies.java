package fairgate.gate.limit;

import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

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
    return reply(
            all.stream().map(violation -> violation.rule().name()).toList(),
            seconds(refused.retryAfter().toNanos()))
        .header(
            "ratelimit-policy",
            all.stream().map(v -> policy(v.rule())).collect(Collectors.joining(", ")))
        .header(
            "ratelimit", all.stream().map(LimitReplies::state).collect(Collectors.joining(", ")));
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
    return Reply.refuse(
        Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED)
            .retryAfter(Duration.ofSeconds(seconds + chance.applyAsInt(spread)))
            .with("violated_policies", policies)
            .with("decision_id", ids.nonce()));
  }

  private static String policy(LimitRule rule) {
    return "\"" + rule.name() + "\";q=" + rule.most() + ";w=" + rule.seconds();
  }

  private static String state(Violation violation) {
    return "\"" + violation.rule().name() + "\";r=0;t=" + seconds(violation.waitNanos());
  }

  /// Whole seconds, rounded up: never earlier than it will be granted.
  private static long seconds(long nanos) {
    return Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
  }
}
