package fairgate.prove.environment;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.RecordedCall;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/// The limits per person of the servers in a proof. Limits per address are off, because all buyers
/// have one address. Few buyers reach these limits.
public enum CallLimit {
  JOIN("FAIRGATE_LIMIT_JOIN", CallType.JOIN, 9),
  PURCHASE("FAIRGATE_LIMIT_PURCHASE", CallType.PURCHASE, 18);

  /// The window of the limits.
  public static final Duration WINDOW = Duration.ofSeconds(60);

  private final String setting;
  private final CallType act;
  private final int max;

  CallLimit(String setting, CallType act, int max) {
    this.setting = setting;
    this.act = act;
    this.max = max;
  }

  public CallType act() {
    return act;
  }

  /// Calls in a window.
  public int max() {
    return max;
  }

  /// The counted caller: the browser of a join, the session of a purchase.
  public String caller(RecordedCall call) {
    return this == JOIN ? call.who() : call.session();
  }

  /// As environment variables of a server.
  static Map<String, String> settings() {
    return Arrays.stream(values())
        .collect(
            Collectors.toMap(
                limit -> limit.setting, limit -> limit.max + "/60s window local-share"));
  }
}
