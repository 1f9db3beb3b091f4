package fairgate.operator;

import static fairgate.kernel.Role.OWNER;

import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.util.List;

/// `/api/admin/settings`: the settings of this node, and where each comes from.
public final class SettingsAdmin {
  private final List<Line> lines;

  SettingsAdmin(List<Line> lines) {
    this.lines = List.copyOf(lines);
  }

  /// A setting.
  ///
  /// @param value without secrets
  /// @param source what sets it; empty for the default
  /// @param fallback the default
  public record Line(String name, String value, String source, String fallback, String doc) {}

  List<Route> routes(AdminGuard admin) {
    return List.of(Route.blockingGet("/api/admin/settings", admin.guard(this::list)).roles(OWNER));
  }

  private Reply list(Request request) {
    JsonText all = JsonText.array();
    for (Line line : lines) {
      all =
          all.add(
              JsonText.object()
                  .put("name", line.name())
                  .put("value", line.value())
                  .put("source", line.source().isEmpty() ? null : line.source())
                  .put("default", line.fallback())
                  .put("meaning", line.doc()));
    }
    return Reply.json(200, JsonText.object().put("settings", all).bytes());
  }
}
