package fairgate.gate.limit;

import fairgate.gate.limit.LimitGuard.ConcurrencyLimit;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Decisions;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

/// Builds the replies of refused calls: 429 with `Retry-After`, and the fields of the IETF draft
/// "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-11), one policy for
/// each limit in the way.
///
/// @param chance a random number from 0 up to, not including, its argument
record LimitReplies(IntUnaryOperator chance) {
  private static final String CONCURRENT = "concurrent";

  /// The text says that the browser sent no cookie, and what to do.
  private static final String NO_COOKIE = "no_cookie";

  private static final Duration SOON = Duration.ofSeconds(1);

  Reply refused(Request request, Refused refused) {
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
      policies.append('"').append(rule.name()).append("\";q=").append(rule.max());
      policies.append(";w=").append(rule.seconds());
      states.append('"').append(rule.name()).append("\";r=0;t=");
      states.append(seconds(violation.waitNanos()));
    }
    LimitRule first = all.getFirst().rule();
    Decisions.Cause cause =
        Decisions.Cause.ofRule(first.name(), first.max() + "/" + first.seconds());
    Map<String, Object> details =
        all.stream().anyMatch(it -> it.rule().dimension() == Dimension.NEW_BROWSER)
            ? Map.of("violated_policies", names, "reason", NO_COOKIE)
            : Map.of("violated_policies", names);
    return reply(request, cause, details, seconds(refused.retryAfter().toNanos()))
        .header("ratelimit-policy", policies.toString())
        .header("ratelimit", states.toString());
  }

  Reply crowded(Request request, ConcurrencyLimit slots) {
    Decisions.Cause cause = Decisions.Cause.ofRule(CONCURRENT, Integer.toString(slots.max()));
    return reply(request, cause, Map.of("violated_policies", List.of(CONCURRENT)), 1)
        .header(
            "ratelimit-policy",
            "\"%s\";q=%d;qu=\"concurrent-requests\"".formatted(CONCURRENT, slots.max()))
        .header("ratelimit", "\"" + CONCURRENT + "\";r=0;t=1");
  }

  /// Redis is away, and a limit with the failure policy `closed` applies.
  static Reply unavailable() {
    return Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
  }

  static Reply replayed() {
    return Reply.refuse(Refusal.of(ErrorCode.INVALID_SIGNATURE).with("reason", "nonce"));
  }

  /// Adds jitter of a tenth of the wait, at least one second, so that clients do not return
  /// together.
  private Reply reply(
      Request request, Decisions.Cause cause, Map<String, Object> details, long seconds) {
    int spread = (int) Math.min(3_600, 2 + seconds / 10);
    Refusal refusal =
        new Refusal(
            ErrorCode.RATE_LIMIT_EXCEEDED,
            Duration.ofSeconds(seconds + chance.applyAsInt(spread)),
            details);
    return Reply.refuse(request.decided(refusal, cause));
  }

  /// Whole seconds, rounded up: a call at that time is never too early.
  private static long seconds(long nanos) {
    return Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
  }
}
