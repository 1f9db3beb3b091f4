package fairgate.kernel;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A refusal that a person can appeal against: the content of a decision id.
///
/// It has no personal data and nothing about the rule that callers are not told anyway, because
/// anybody can read an id.
///
/// @param micros its time, µs; each decision of a node has its own
/// @param product the sale that the request named; null when it named none
/// @param rule the exceeded limit, such as `join`; empty when the code says it all
/// @param version the version of the rule, such as `3/60`; empty without a rule
/// @param ban the id of the ban; 0 for none, and for one that is not stored
/// @param ref the id of the decision where it is stored, such as that of the risk engine; empty
///   when nothing is stored
/// @param browser the keyed name of the browser, see [#tag]; empty when it sent no cookie of ours
/// @param network the keyed name of the client's address
public record Decision(
    ErrorCode code,
    long micros,
    @Nullable ProductId product,
    String rule,
    String version,
    long ban,
    String ref,
    String browser,
    String network) {
  /// The path of the appeal of a decision, followed by its id.
  public static final String APPEAL_PATH = "/appeal/";

  private static final int TAG_LENGTH = 8;
  private static final String PURPOSE = "decision-tag";

  /// The codes of decisions about a person. The position is part of every id: add new codes at the
  /// end.
  static final List<ErrorCode> CODES =
      List.of(
          ErrorCode.CLIENT_BANNED,
          ErrorCode.RATE_LIMIT_EXCEEDED,
          ErrorCode.NETWORK_LIMIT_REACHED,
          ErrorCode.PURCHASE_LIMIT_REACHED,
          ErrorCode.UNPAID_COOLDOWN,
          ErrorCode.TURN_MISSED,
          ErrorCode.INVALID_TURNSTILE_TOKEN,
          ErrorCode.IDENTITY_TAKEN,
          ErrorCode.INVITATION_INVALID,
          ErrorCode.DEVICE_KEY_REQUIRED,
          ErrorCode.RISK_REFUSED,
          ErrorCode.CHALLENGE_REQUIRED);

  /// The time of the decision, ms.
  public long at() {
    return micros / 1_000;
  }

  /// Whether a refusal with this code can be appealed against.
  public static boolean isAppealable(ErrorCode code) {
    return CODES.contains(code);
  }

  /// The keyed name of a browser or an address in ids: eight characters, enough to compare it with
  /// the one that appeals, and too short to find anybody by.
  public static String tag(KeyRing keys, String value) {
    return value.isEmpty() ? "" : keys.fingerprint(PURPOSE, value).substring(0, TAG_LENGTH);
  }
}
