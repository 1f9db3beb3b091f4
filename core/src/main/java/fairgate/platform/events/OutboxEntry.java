package fairgate.platform.events;

import java.util.Map;

/// An entry of an outbox stream.
///
/// @param id the id from Redis, `{milliseconds}-{number}`
/// @param fields the fields as written by the script
public record OutboxEntry(String id, Map<String, String> fields) {
  public OutboxEntry {
    fields = Map.copyOf(fields);
  }
}
