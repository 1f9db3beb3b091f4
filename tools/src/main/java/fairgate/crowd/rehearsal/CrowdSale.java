package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Set;

/// The sale in which a crowd is tried.
///
/// @param units for sale
/// @param policy fields that differ from the server's defaults, as JSON
/// @param longest the run ends this long after the opening at the latest
record CrowdSale(int units, String policy, Duration longest) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /// A flash sale with the server's defaults: limits of networks and the order of those who came
  /// before the opening are what a server sets by itself.
  private static final String FLASH = "{\"preset\": \"flash\"}";

  /// A line with eight turns at a time, so that absent people can hold them.
  private static final String SHORT_LINE =
      "{\"preset\": \"queue\", \"active_capacity\": 24, \"ready_slots\": 8}";

  static final Duration SHORT_WINDOW = Duration.ofSeconds(10);

  /// A line with two turns at a time, of ten seconds each.
  private static final String TWO_TURNS =
      "{\"preset\": \"queue\", \"ready_slots\": 2, \"purchase_window_seconds\": 10}";

  static CrowdSale flash(int units) {
    return new CrowdSale(units, FLASH, Duration.ofSeconds(60));
  }

  static CrowdSale shortLine(int units) {
    return new CrowdSale(units, SHORT_LINE, Duration.ofSeconds(60));
  }

  static CrowdSale twoTurns(int units) {
    return new CrowdSale(units, TWO_TURNS, Duration.ofSeconds(150));
  }

  CrowdSale longest(Duration other) {
    return new CrowdSale(units, policy, other);
  }

  /// The policy for an identity.
  ///
  /// @param known the policy fields of the server; others are not sent
  /// @param changes replace fields of the policy
  ObjectNode policy(BuyerIdentity identity, Set<String> known, ObjectNode changes) {
    ObjectNode whole = parsed(policy);
    if (known.contains("identity")) {
      whole.put("identity", identity.word());
    }
    whole.setAll(changes);
    return whole;
  }

  /// Parses a JSON object. Throws IllegalArgumentException for any other text.
  static ObjectNode parsed(String json) {
    try {
      if (JSON.readTree(json) instanceof ObjectNode object) {
        return object;
      }
    } catch (JsonProcessingException _) {
      // Explained below.
    }
    throw new IllegalArgumentException("not a JSON object: " + json);
  }
}
