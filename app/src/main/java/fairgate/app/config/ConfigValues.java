package fairgate.app.config;

import java.util.Map;
import java.util.stream.Collectors;

/// The checked value of every setting as text, by path.
public record ConfigValues(Map<String, String> byName) {
  public ConfigValues {
    byName = Map.copyOf(byName);
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
}
