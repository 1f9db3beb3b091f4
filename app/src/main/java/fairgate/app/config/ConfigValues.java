package fairgate.app.config;

import fairgate.platform.feature.Secret;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The checked value of every setting as text, by path.
public record ConfigValues(Map<String, String> byName, Map<String, String> sources) {
  private static final String DATA_FOLDER = "data_dir";

  public ConfigValues {
    byName = Map.copyOf(byName);
    sources = Map.copyOf(sources);
  }

  /// A setting as operators see it.
  ///
  /// @param value `[redacted]` for secrets
  /// @param source the file, the environment variable or the option that sets it; empty for the
  ///   default
  /// @param doc one sentence
  public record Shown(String name, String value, String source, String fallback, String doc) {}

  /// All settings, in the order of the reference page.
  public List<Shown> shown() {
    return ConfigRecords.KEYS.stream()
        .map(
            key -> {
              String text = text(key.name());
              return new Shown(
                  key.name(),
                  key.kind().hidden() ? new Secret(text).toString() : text,
                  sources.getOrDefault(key.name(), ""),
                  key.fallback(),
                  key.doc());
            })
        .toList();
  }

  /// A copy in which `up` has taken these settings from the data folder, unless they were set.
  ConfigValues withStored(List<String> names) {
    Map<String, String> all = new HashMap<>(sources);
    names.forEach(name -> all.putIfAbsent(name, DATA_FOLDER));
    return new ConfigValues(byName, all);
  }

  String text(String name) {
    String value = byName.get(name);
    if (value == null) {
      throw new IllegalArgumentException("there is no setting " + name);
    }
    return value;
  }

  /// One line for each setting, in the order of the reference page; secrets are redacted.
  public String print() {
    return ConfigRecords.KEYS.stream()
        .map(
            key -> {
              String text = text(key.name());
              return key.name() + ": " + (key.kind().hidden() ? new Secret(text) : text);
            })
        .map(String::stripTrailing)
        .collect(Collectors.joining("\n"));
  }

  /// Without the values, some of which are secrets.
  @Override
  public String toString() {
    return "ConfigValues[" + byName.size() + " settings]";
  }
}
