package fairgate.gate.ban;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.kernel.BanSubject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The decisions of CrowdSec since the last request.
///
/// @param fresh decisions in force
/// @param gone subjects of ended decisions
record CrowdsecDecisions(List<Ban> fresh, List<BanSubject> gone) {
  private static final int LONGEST_REASON = 200;

  /// Parses the reply `{"new": [...], "deleted": [...]}`; either list may be null. Malformed
  /// decisions and those that are not bans are skipped.
  static CrowdsecDecisions read(JsonNode reply, long now) {
    List<Ban> fresh = new ArrayList<>();
    for (JsonNode node : reply.path("new")) {
      BanSubject subject = subject(node);
      Duration remaining = GoDuration.parse(node.path("duration").asText());
      if (subject != null && remaining != null && remaining.isPositive()) {
        long until = now + remaining.toMillis();
        fresh.add(new Ban(0, Ban.Effect.BAN, subject, reason(node), "crowdsec", now, until));
      }
    }
    List<BanSubject> gone = new ArrayList<>();
    for (JsonNode node : reply.path("deleted")) {
      BanSubject subject = subject(node);
      if (subject != null) {
        gone.add(subject);
      }
    }
    return new CrowdsecDecisions(fresh, gone);
  }

  private static @Nullable BanSubject subject(JsonNode node) {
    if (!node.path("type").asText().equalsIgnoreCase("ban")) {
      return null;
    }
    String value = node.path("value").asText();
    return switch (node.path("scope").asText().toLowerCase(Locale.ROOT)) {
      case "ip" -> BanSubject.parse(BanSubject.Kind.IP, value);
      case "range" -> BanSubject.parse(BanSubject.Kind.NETWORK, value);
      case "as" -> BanSubject.parse(BanSubject.Kind.ASN, value);
      case "country" -> BanSubject.parse(BanSubject.Kind.COUNTRY, value);
      default -> null;
    };
  }

  private static String reason(JsonNode node) {
    String reason = node.path("scenario").asText();
    return reason.length() > LONGEST_REASON ? reason.substring(0, LONGEST_REASON) : reason;
  }
}
