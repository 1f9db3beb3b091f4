package fairgate.operator;

import static fairgate.kernel.Role.OWNER;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.ClientAddress;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.SpreadsheetCsv;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The audit log for operators: search, and export as CSV.
final class AuditAdmin {
  /// The searchable members of an event, besides kind and time.
  private static final List<String> MEMBERS =
      List.of(
          "what",
          "node",
          "ip",
          "network",
          "session",
          "account",
          "device",
          "product",
          "order",
          "order_hash",
          "decision_id",
          "request_id",
          "operator");

  /// The input of both routes.
  private static final AdminInput INPUT =
      AdminInput.query("from", "to", "kind", "before", "limit").and(MEMBERS);

  private static final Duration EXPORT_DEADLINE = Duration.ofSeconds(30);
  private static final int MAX_LINES = 50_000;
  private static final long LAST = 4_102_444_800_000L;
  private static final int LONGEST = 200;

  private final AuditLog log;
  private final Clock clock;

  AuditAdmin(AuditLog log, Clock clock) {
    this.log = log;
    this.clock = clock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/audit", admin.guard(INPUT, this::search)).roles(OWNER),
        Route.blockingGet("/api/admin/audit.csv", admin.guard(INPUT, this::export))
            .roles(OWNER)
            .withDeadline(EXPORT_DEADLINE));
  }

  private Reply search(Request request) {
    int limit = AdminQuery.limit(request);
    List<AuditLog.Entry> page = log.search(query(request, limit));
    JsonText events = JsonText.array();
    for (AuditLog.Entry entry : page) {
      events = events.add(entry.json());
    }
    JsonText body = JsonText.object().put("events", events);
    if (page.size() == limit) {
      body = body.put("before", cursor(page.getLast()));
    }
    return Reply.json(200, body.bytes());
  }

  /// At most 50,000 lines. When there are more, the header `X-Before` has the id for the next
  /// request.
  private Reply export(Request request) {
    int limit = (int) AdminQuery.number(request, "limit", 1, MAX_LINES, MAX_LINES);
    List<AuditLog.Entry> page = log.search(query(request, limit));
    Reply reply =
        Reply.bytes(
                200,
                "text/csv; charset=utf-8",
                AuditCsv.write(page).getBytes(StandardCharsets.UTF_8))
            .header("content-disposition", "attachment; filename=\"audit.csv\"")
            .header("cache-control", "no-store");
    return page.size() == limit ? reply.header("x-before", cursor(page.getLast())) : reply;
  }

  private AuditLog.Query query(Request request, int limit) {
    long to = AdminQuery.number(request, "to", 0, LAST, clock.millis() + 1_000);
    long from = AdminQuery.number(request, "from", 0, LAST, to - Duration.ofDays(1).toMillis());
    Map<String, String> members = new HashMap<>();
    for (String name : MEMBERS) {
      String value = request.query(name);
      if (value != null) {
        members.put(name, checked(name, value));
      }
    }
    AuditEvent.Kind kind =
        AdminQuery.word(request, "kind", AuditEvent.Kind.values(), AuditEvent.Kind::word);
    return new AuditLog.Query(from, to, kind, members, before(request), limit);
  }

  private static String checked(String name, String value) {
    if (value.isEmpty() || value.length() > LONGEST) {
      throw new InvalidRequest(name, "bad_length", 1, LONGEST);
    }
    boolean address = name.equals("ip") || name.equals("network");
    if (address && ClientAddress.parse(value) == null) {
      throw new InvalidRequest(name, "bad_format");
    }
    return value;
  }

  private static AuditLog.Query.@Nullable Cursor before(Request request) {
    String text = request.query("before");
    if (text == null) {
      return null;
    }
    int dot = text.indexOf('.');
    try {
      String day = LocalDate.parse(text.substring(0, Math.max(0, dot))).toString();
      return new AuditLog.Query.Cursor(day, Long.parseLong(text.substring(dot + 1)));
    } catch (DateTimeException | NumberFormatException _) {
      throw new InvalidRequest("before", "bad_format");
    }
  }

  private static String cursor(AuditLog.Entry entry) {
    return entry.day() + "." + entry.seq();
  }

  /// The audit log as CSV: one column for each common member, and the other members as JSON in the
  /// last column but one.
  static final class AuditCsv {
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

    static String write(List<AuditLog.Entry> entries) {
      List<@Nullable String> names = new ArrayList<>(List.of("day", "seq", "at", "kind"));
      names.addAll(MEMBERS);
      names.addAll(List.of("facts", "hash"));
      List<List<@Nullable String>> rows = new ArrayList<>(List.of(names));
      entries.forEach(entry -> rows.add(row(entry)));
      return SpreadsheetCsv.text(rows);
    }

    private static List<@Nullable String> row(AuditLog.Entry entry) {
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
}
