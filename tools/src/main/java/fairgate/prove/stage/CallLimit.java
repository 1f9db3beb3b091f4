package fairgate.prove.stage;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.RecordedCall;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/// The limits by person that servers of a proof have. Those by address are off: all people of a
/// proof come from one. Few who are served reach them.
public enum CallLimit {
  JOIN("FAIRGATE_LIMIT_JOIN", CallType.JOIN, 9),
  PURCHASE("FAIRGATE_LIMIT_PURCHASE", CallType.PURCHASE, 18);

  /// In which so many calls are served at the most.
  public static final Duration WINDOW = Duration.ofSeconds(60);

  private final String setting;
  private final CallType act;
  private final int most;

  CallLimit(String setting, CallType act, int most) {
    this.setting = setting;
    this.act = act;
    this.most = most;
  }

  public CallType act() {
    return act;
  }

  /// Calls in a window.
  public int most() {
    return most;
  }

  /// Who is counted: a browser that joins, a place that buys.
  public String caller(RecordedCall said) {
    return this == JOIN ? said.who() : said.session();
  }

  /// As environment variables of a server.
  static Map<String, String> settings() {
    return Arrays.stream(values())
        .collect(
            Collectors.toMap(
                limit -> limit.setting, limit -> limit.most + "/60s window local-share"));
  }
}
