package fairgate.app.config;

import fairgate.app.feature.FeatureEntry;
import fairgate.gate.challenge.AltchaConfig.CostLevel;
import fairgate.gate.limit.LimitDefaults;
import fairgate.kernel.AddressBlock;
import fairgate.platform.events.KafkaLog;
import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The values that a setting accepts.
///
/// @param description for the reference page
/// @param parser converts a text; throws IllegalArgumentException with the accepted values, as the
///   end of "expected ..."
/// @param hidden whether values are secret
record ConfigKind(String description, Function<String, Object> parser, boolean hidden) {
  private static final Set<String> ON = Set.of("on", "true", "yes", "1");
  private static final Set<String> OFF = Set.of("off", "false", "no", "0");
  private static final Pattern COMMA = Pattern.compile("\\s*,\\s*");

  private static final Map<Class<?>, Function<String, Object>> FORMATS =
      new HashMap<>(
          Map.<Class<?>, Function<String, Object>>of(
              CostLevel.class,
              CostLevel::list,
              KafkaLog.Settings.class,
              text -> KafkaLog.Settings.at(KafkaLog.Settings.servers(text)),
              ZoneId.class,
              ConfigKind::zone,
              // A zone that has another one as its default.
              Optional.class,
              text -> text.isEmpty() ? Optional.empty() : Optional.of(zone(text))));

  static {
    FeatureEntry.ALL.forEach(entry -> FORMATS.putAll(entry.formats()));
  }

  /// The values of a component, by its type.
  static ConfigKind of(Setting setting, RecordComponent component) {
    Class<?> type = component.getType();
    boolean list = type == List.class;
    Class<?> element =
        list
            ? (Class<?>)
                ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0]
            : type;
    Function<String, Object> format = FORMATS.get(element);
    if (format != null) {
      return new ConfigKind(
          setting.values(), text -> formatted(setting.values(), format, text), false);
    } else if (element == Secret.class) {
      return secret(setting, list);
    } else if (element == AddressBlock.class) {
      return new ConfigKind("list of addresses", ConfigKind::blocks, false);
    } else if (type == int.class) {
      return number(setting.min(), setting.max());
    } else if (type == boolean.class) {
      return new ConfigKind("on \\| off", ConfigKind::flag, false);
    } else if (type == Path.class) {
      return new ConfigKind(setting.values(), Path::of, false);
    } else if (element != String.class) {
      throw new IllegalArgumentException("no kind of setting has the type of " + component);
    } else if (list) {
      return new ConfigKind(setting.values(), text -> items(text).toList(), false);
    }
    return text(setting);
  }

  /// A rate limit: `5/s`, `100/60s burst 20`, `off`.
  static ConfigKind limit(String name) {
    return new ConfigKind(
        "limit",
        text -> {
          Optional<String> problem = LimitDefaults.problem(name, text);
          check(problem.isEmpty(), "limit: " + problem.orElse(""));
          return text;
        },
        false);
  }

  /// The problem of a value, as the end of "expected ..."; empty when it is valid.
  Optional<String> problem(String value) {
    try {
      Object _ = parser.apply(value);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static ConfigKind text(Setting setting) {
    List<String> words = List.of(setting.words());
    List<String> schemes = List.of(setting.schemes());
    if (!schemes.isEmpty()) {
      return new ConfigKind(urls(schemes), text -> url(schemes, text), false);
    } else if (words.isEmpty()) {
      return new ConfigKind(setting.values(), text -> text, false);
    }
    return new ConfigKind(String.join(" \\| ", words), text -> word(words, text), false);
  }

  /// A secret, a list of secrets, or a URL with a password.
  private static ConfigKind secret(Setting setting, boolean list) {
    List<String> schemes = List.of(setting.schemes());
    if (!schemes.isEmpty()) {
      return new ConfigKind(urls(schemes), text -> new Secret(url(schemes, text)), true);
    }
    Function<String, Object> parser =
        list ? text -> items(text).map(Secret::new).toList() : Secret::new;
    return new ConfigKind("secret", parser, true);
  }

  private static ConfigKind number(int min, int max) {
    String description = "number from " + min + " to " + max;
    return new ConfigKind(
        description,
        text -> {
          int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
          check(number >= min && number <= max, "a " + description);
          return number;
        },
        false);
  }

  /// Booleans have the words of YAML and of environment variables.
  private static Object flag(String text) {
    check(ON.contains(text) || OFF.contains(text), "on or off");
    return ON.contains(text);
  }

  private static Object word(List<String> words, String text) {
    check(words.contains(text), "one of " + String.join(", ", words));
    return text;
  }

  private static Object blocks(String text) {
    List<String> items = items(text).toList();
    check(
        items.stream().allMatch(item -> AddressBlock.parse(item) != null),
        "addresses and blocks such as 10.0.0.0/8, separated by commas");
    return items.stream().map(AddressBlock::parse).map(Objects::requireNonNull).toList();
  }

  private static String urls(List<String> schemes) {
    return "URL (" + String.join(", ", schemes) + ")";
  }

  private static String url(List<String> schemes, String text) {
    if (text.isEmpty()) {
      return text;
    }
    check(
        isUrl(schemes, text), "a URL that begins with " + String.join(":// or ", schemes) + "://");
    return text;
  }

  private static boolean isUrl(List<String> schemes, String text) {
    try {
      // Placeholders such as {order_id} are replaced later.
      URI uri = new URI(text.replaceAll("\\{[a-z_]+}", "x"));
      boolean complete = uri.getHost() != null || "unix".equals(uri.getScheme());
      return uri.getScheme() != null && schemes.contains(uri.getScheme()) && complete;
    } catch (URISyntaxException _) {
      return false;
    }
  }

  private static Object formatted(String what, Function<String, Object> format, String text) {
    try {
      return format.apply(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("a " + what + ": " + e.getMessage(), e);
    }
  }

  private static ZoneId zone(String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("there is no " + text, e);
    }
  }

  private static Stream<String> items(String text) {
    return COMMA.splitAsStream(text.strip()).filter(item -> !item.isBlank());
  }

  private static void check(boolean valid, String expected) {
    if (!valid) {
      throw new IllegalArgumentException(expected);
    }
  }
}
