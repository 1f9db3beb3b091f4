package fairgate.app.config;

import fairgate.kernel.AddressBlock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The checked value of every setting, by path.
public record ConfigValues(Map<String, String> byName) {
  private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

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

  Secret secret(String name) {
    return new Secret(text(name));
  }

  List<String> list(String name) {
    return items(text(name)).toList();
  }

  List<AddressBlock> blocks(String name) {
    return items(text(name)).map(AddressBlock::parse).map(Objects::requireNonNull).toList();
  }

  static Stream<String> items(String text) {
    return COMMA.splitAsStream(text.strip()).filter(item -> !item.isBlank());
  }

  int whole(String name) {
    return Integer.parseInt(text(name));
  }

  boolean isOn(String name) {
    return ConfigKind.Flag.isOn(text(name));
  }

  Path path(String name) {
    return Path.of(text(name));
  }

  /// One line for each setting, in the table's order; secrets are redacted.
  public String print() {
    return ConfigKeys.ALL.stream()
        .map(
            key -> {
              Secret shown = secret(key.name());
              return key.name() + ": " + (key.hidden() ? shown.toString() : shown.expose());
            })
        .map(String::stripTrailing)
        .collect(Collectors.joining("\n"));
  }
}
