package fairgate.app.config;

import fairgate.app.feature.FeatureEntry;
import fairgate.gate.limit.LimitDefaults;
import fairgate.platform.feature.Setting;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Finds the settings that records declare, and builds the records from values. A component without
/// `Setting` is a record with further settings, the map of all rate limits, or the settings of the
/// features that have an entry.
final class ConfigRecords {
  /// All settings, in the order of the reference page.
  static final List<ConfigKey> KEYS = keys(FairgateConfig.class).toList();

  private static final Map<String, ConfigKey> BY_NAME =
      KEYS.stream().collect(Collectors.toMap(ConfigKey::name, key -> key));

  private ConfigRecords() {}

  private static Stream<ConfigKey> keys(Class<?> type) {
    return Arrays.stream(type.getRecordComponents())
        .flatMap(
            component -> {
              Setting setting = component.getAnnotation(Setting.class);
              if (setting != null) {
                return Stream.of(ConfigKey.of(setting, component));
              }
              if (component.getType() == ConfigValues.class) {
                return Stream.empty();
              } else if (component.getType() == FairgateConfig.Features.class) {
                return FeatureEntry.ALL.stream().flatMap(entry -> keys(entry.settings()));
              }
              return component.getType() == Map.class
                  ? LimitDefaults.ALL.stream().map(ConfigKey::of)
                  : keys(component.getType());
            });
  }

  /// Builds a record from values that have been checked.
  static <T> T read(Class<T> type, ConfigValues values) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    Object[] arguments =
        Arrays.stream(components).map(component -> value(component, values)).toArray();
    try {
      return type.getDeclaredConstructor(types).newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the record " + type + " cannot be created", e);
    }
  }

  private static Object value(RecordComponent component, ConfigValues values) {
    Setting setting = component.getAnnotation(Setting.class);
    if (setting != null) {
      ConfigKey key = key(setting.name());
      return key.kind().parser().apply(values.text(key.name()));
    } else if (component.getType() == Map.class) {
      return LimitDefaults.ALL.stream()
          .collect(
              Collectors.toMap(
                  LimitDefaults.Entry::name, limit -> values.text(ConfigKey.limitName(limit))));
    } else if (component.getType() == FairgateConfig.Features.class) {
      return new FairgateConfig.Features(
          FeatureEntry.ALL.stream()
              .collect(
                  Collectors.toMap(
                      FeatureEntry::settings, entry -> read(entry.settings(), values))));
    }
    return component.getType() == ConfigValues.class ? values : read(component.getType(), values);
  }

  private static ConfigKey key(String name) {
    ConfigKey key = BY_NAME.get(name);
    if (key == null) {
      throw new IllegalArgumentException("there is no setting " + name);
    }
    return key;
  }
}
