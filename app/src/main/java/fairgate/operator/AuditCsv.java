package fairgate.operator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.platform.audit.AuditEntry;
import fairgate.platform.text.SpreadsheetCsv;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The audit log as CSV: one column for each common member, and the other members as JSON in the
/// last column but one.
final class AuditCsv {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> MEMBERS =
      List.of(
          "what",
          "node",
          "ip",
          "net",
          "device",
          "session",
          "account",
          "ua",
          "product",
          "order",
          "route",
          "decision_id",
          "request_id",
          "weight");

  private AuditCsv() {}

  static String write(List<AuditEntry> entries) {
    List<@Nullable String> names = new ArrayList<>(List.of("day", "seq", "at", "kind"));
    names.addAll(MEMBERS);
    names.addAll(List.of("facts", "hash"));
    List<List<@Nullable String>> rows = new ArrayList<>(List.of(names));
    entries.forEach(entry -> rows.add(row(entry)));
    return SpreadsheetCsv.text(rows);
  }

  private static List<@Nullable String> row(AuditEntry entry) {
    List<@Nullable String> cells = new ArrayList<>();
    cells.add(entry.day());
    cells.add(Long.toString(entry.seq()));
    cells.add(Instant.ofEpochMilli(entry.at()).toString());
    cells.add(entry.kind());
    ObjectNode event = event(entry.content());
    event.remove(List.of("at", "kind"));
    for (String name : MEMBERS) {
      JsonNode member = event.remove(name);
      cells.add(member == null ? null : member.asText());
    }
    cells.add(event.isEmpty() ? null : event.toString());
    cells.add(entry.hash());
    return cells;
  }

  private static ObjectNode event(@Nullable String content) {
    try {
      return content != null && JSON.readTree(content) instanceof ObjectNode object
          ? object
          : JSON.createObjectNode();
    } catch (JsonProcessingException e) {
      return JSON.createObjectNode().put("unreadable", content);
    }
  }
}
