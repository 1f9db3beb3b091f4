package fairgate.app.config;

import fairgate.gate.limit.LimitDefaults;
import fairgate.platform.feature.Setting;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// One setting.
///
/// @param name path in the file, such as `server.port`
/// @param fallback default value; empty for none
/// @param aliases environment variables besides `FAIRGATE_` and the path
/// @param doc one sentence for the reference page
/// @param warning the word that `serve` warns of, and after it the reason; empty for none
record ConfigKey(
    String name,
    ConfigKind kind,
    String fallback,
    List<String> aliases,
    String doc,
    String warning) {
  /// The setting that a component declares.
  static ConfigKey of(Setting setting, RecordComponent component) {
    return new ConfigKey(
        setting.name(),
        ConfigKind.of(setting, component),
        setting.fallback(),
        List.of(setting.aliases()),
        setting.doc(),
        setting.warning());
  }

  static ConfigKey of(LimitDefaults.Entry limit) {
    return new ConfigKey(
        limitName(limit), ConfigKind.limit(limit.name()), limit.text(), List.of(), limit.doc(), "");
  }

  static String limitName(LimitDefaults.Entry limit) {
    return "limit." + limit.name();
  }

  /// The names of its environment variables, the preferred one first: `FAIRGATE_SERVER_PORT`.
  List<String> environment() {
    List<String> names = new ArrayList<>(aliases);
    String own = "FAIRGATE_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
    if (!names.contains(own)) {
      names.add(own);
    }
    return names;
  }
}
