package fairgate.app.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// One setting.
///
/// @param name path in the file, such as `server.port`
/// @param fallback default value; empty for none
/// @param aliases environment variables besides `FAIRGATE_` and the path
/// @param doc one sentence for the reference page
record ConfigKey(String name, ConfigKind kind, String fallback, List<String> aliases, String doc) {
  /// The names of its environment variables, the preferred one first: `FAIRGATE_SERVER_PORT`.
  List<String> environment() {
    List<String> names = new ArrayList<>(aliases);
    String own = "FAIRGATE_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
    if (!names.contains(own)) {
      names.add(own);
    }
    return names;
  }

  /// Whether its value is secret.
  boolean hidden() {
    return switch (kind) {
      case ConfigKind.SecretText _ -> true;
      case ConfigKind.Url url -> url.hidden();
      case ConfigKind.Text _,
          ConfigKind.Blocks _,
          ConfigKind.Parsed _,
          ConfigKind.IntRange _,
          ConfigKind.Choice _,
          ConfigKind.Limit _,
          ConfigKind.Flag _ ->
          false;
    };
  }
}
