package fairgate.platform.http;

import fairgate.kernel.Decision;
import fairgate.kernel.DecisionCodec;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Gives refusals of people a decision id and the address of its appeal. Thread-safe; never blocks.
public final class Decisions {
  private static final String ID = "decision_id";
  private static final String APPEAL = "appeal_url";
  private static final String SALE_PAGE = "/p/";
  private static final int LONGEST_BODY = 8_192;

  private final KeyRing keys;
  private final DecisionCodec codec;
  private final Clock clock;
  private final Consumer<Decision> counter;
  private final AtomicLong lastMicros = new AtomicLong();

  /// The cause of a refusal, as far as callers may know it.
  ///
  /// @param rule the exceeded limit; empty for none
  /// @param version of the rule
  /// @param ban the id of the ban; 0 for none
  public record Cause(String rule, String version, long ban) {
    static final Cause NONE = new Cause("", "", 0);

    public static Cause ofRule(String rule, String version) {
      return new Cause(rule, version, 0);
    }

    public static Cause ofBan(long ban) {
      return new Cause("", "", ban);
    }
  }

  /// @param counter called with every decision
  public Decisions(KeyRing keys, Clock clock, Consumer<Decision> counter) {
    this.keys = keys;
    this.codec = new DecisionCodec(keys);
    this.clock = clock;
    this.counter = counter;
  }

  /// The refusal with `decision_id` and `appeal_url`, when it can be appealed against and has no
  /// `appeal_url` yet; otherwise as it is. An earlier `decision_id`, that of a stored decision,
  /// becomes part of the new one.
  Refusal decide(Request request, Refusal refusal, Cause cause) {
    if (refusal.details().containsKey(APPEAL) || !Decision.isAppealable(refusal.code())) {
      return refusal;
    }
    DeviceId device = request.returning();
    return decided(
        refusal,
        cause,
        product(request),
        Decision.tag(keys, device == null ? "" : device.value()),
        Decision.tag(keys, request.address().key()));
  }

  /// The same for a refusal in another channel, whose person appeals in a browser that is unknown.
  public Refusal decide(@Nullable ProductId product, Refusal refusal, Cause cause) {
    return refusal.details().containsKey(APPEAL) || !Decision.isAppealable(refusal.code())
        ? refusal
        : decided(refusal, cause, product, "", "");
  }

  private Refusal decided(
      Refusal refusal,
      Cause cause,
      @Nullable ProductId product,
      String browserTag,
      String networkTag) {
    Object stored = refusal.details().get(ID);
    Decision decision =
        new Decision(
            refusal.code(),
            nextMicros(),
            product,
            cause.rule(),
            cause.version(),
            cause.ban(),
            stored == null ? "" : stored.toString(),
            browserTag,
            networkTag);
    counter.accept(decision);
    String id = codec.encode(decision);
    return refusal.with(ID, id).with(APPEAL, Decision.APPEAL_PATH + id);
  }

  private long nextMicros() {
    long now = clock.millis() * 1_000;
    return lastMicros.updateAndGet(last -> Math.max(now, last + 1));
  }

  /// The sale that a request names: in the path of its page, or as `product_id` of a JSON body that
  /// has been received.
  private static @Nullable ProductId product(Request request) {
    String name = null;
    String path = request.path();
    if (path.startsWith(SALE_PAGE)) {
      int end = path.indexOf('/', SALE_PAGE.length());
      name = path.substring(SALE_PAGE.length(), end < 0 ? path.length() : end);
    } else if (request.method() == Method.POST && isShortJson(request.body())) {
      name = inBody(request);
    }
    return name != null && ProductId.isValid(name) ? new ProductId(name) : null;
  }

  private static boolean isShortJson(byte[] body) {
    return body.length > 0 && body.length <= LONGEST_BODY && body[0] == '{';
  }

  private static @Nullable String inBody(Request request) {
    try {
      return request.json().optionalText("product_id");
    } catch (InvalidRequest malformed) {
      return null;
    }
  }
}
