package fairgate.platform.events;

import java.util.Map;

/// One entry of an outbox stream.
///
/// @param id Redis's id, `{milliseconds}-{number}`
/// @param fields as the script wrote them
public record OutboxEntry(String id, Map<String, String> fields) {
  public OutboxEntry {
    fields = Map.copyOf(fields);
  }
}
