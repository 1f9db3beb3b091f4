package fairgate.gate.risk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A versioned, ordered list of features. A released version never changes; recorded decisions are
/// decoded with the version that they name.
///
/// A version begins with all features of the version before, so a bundle can judge features of its
/// own version and of later ones. The features that a version adds are the resource
/// `feature_schema_VERSION.txt`: one feature per line, as `name | type | privacy | meaning`.
public final class FeatureSchema {
  /// The version that this server records.
  public static final int LATEST = 2;

  private static final List<FeatureSchema> ALL = loadAll();

  private final int version;
  private final List<Feature> features;
  private final Map<String, Feature> byName;

  private FeatureSchema(int version, List<Feature> features) {
    this.version = version;
    this.features = List.copyOf(features);
    Map<String, Feature> names = new HashMap<>();
    for (Feature feature : features) {
      if (names.put(feature.name(), feature) != null) {
        throw new IllegalStateException("two features are named " + feature.name());
      }
    }
    this.byName = Map.copyOf(names);
  }

  public static FeatureSchema latest() {
    return ALL.get(LATEST - 1);
  }

  /// The schema with this version, from 1; empty when this server does not know it.
  public static Optional<FeatureSchema> version(int version) {
    return version < 1 || version > ALL.size()
        ? Optional.empty()
        : Optional.of(ALL.get(version - 1));
  }

  /// The version, from 1.
  public int version() {
    return version;
  }

  /// All features in the order of their index.
  public List<Feature> features() {
    return features;
  }

  public int size() {
    return features.size();
  }

  /// The feature with this name. Throws IllegalArgumentException when there is none; keep the
  /// result in a constant.
  public Feature feature(String name) {
    Feature feature = byName.get(name);
    if (feature == null) {
      throw new IllegalArgumentException("no feature " + name + " in schema " + version);
    }
    return feature;
  }

  /// The feature with this name; null when there is none.
  @Nullable Feature find(String name) {
    return byName.get(name);
  }

  private static List<FeatureSchema> loadAll() {
    List<FeatureSchema> versions = new ArrayList<>();
    List<Feature> features = new ArrayList<>();
    for (int version = 1; version <= LATEST; version++) {
      load(version, features);
      versions.add(new FeatureSchema(version, features));
    }
    return versions;
  }

  private static void load(int version, List<Feature> features) {
    String resource = "feature_schema_" + version + ".txt";
    try (InputStream in = FeatureSchema.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("missing resource " + resource);
      }
      parse(version, new String(in.readAllBytes(), StandardCharsets.UTF_8), features);
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + resource, e);
    }
  }

  private static void parse(int version, String text, List<Feature> features) {
    for (String line : text.lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.split("\\|", 4);
      if (parts.length != 4) {
        throw new IllegalStateException("schema " + version + ": " + line);
      }
      features.add(
          new Feature(
              features.size(),
              parts[0].strip(),
              Feature.Type.named(parts[1].strip()),
              Feature.Privacy.named(parts[2].strip()),
              parts[3].strip()));
    }
  }
}
