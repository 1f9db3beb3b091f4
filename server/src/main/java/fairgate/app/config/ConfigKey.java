package fairgate.app.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// One setting.
///
/// @param name its path in the file, such as `server.port`
/// @param fallback its value when nobody sets it; empty for none
/// @param aliases names of the environment besides `FAIRGATE_` and the path
/// @param doc one sentence for the reference page
record ConfigKey(String name, ConfigKind kind, String fallback, List<String> aliases, String doc) {
  /// The names it has in the environment, the first one preferred: `FAIRGATE_SERVER_PORT`.
  List<String> environment() {
    List<String> names = new ArrayList<>(aliases);
    String own = "FAIRGATE_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
    if (!names.contains(own)) {
      names.add(own);
    }
    return names;
  }

  /// Whether its value must never be shown.
  boolean hidden() {
    return switch (kind) {
      case ConfigKind.Hidden _ -> true;
      case ConfigKind.Url url -> url.hidden();
      case ConfigKind.Text _,
          ConfigKind.Blocks _,
          ConfigKind.Spelled _,
          ConfigKind.Whole _,
          ConfigKind.Choice _,
          ConfigKind.Limit _,
          ConfigKind.Switch _ ->
          false;
    };
  }
}
