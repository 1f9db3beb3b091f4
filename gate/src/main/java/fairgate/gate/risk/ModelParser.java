package fairgate.gate.risk;

import fairgate.gate.risk.BundleJson.At;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Parses the model of a bundle.
///
/// Form: `{"name": "...", "base": -1.5, "scale": 5, "trees": [NODE, ...]}`. A node is `{"leaf":
/// 0.25}` or `{"feature": "name", "below": 3, "yes": NODE, "no": NODE}`.
final class ModelParser {
  private static final int MOST_NODES = 20_000;
  private static final int DEEPEST = 16;
  private static final Set<String> MODEL = Set.of("name", "base", "scale", "trees");
  private static final Set<String> SPLIT = Set.of("feature", "below", "yes", "no");
  private static final Set<String> LEAF = Set.of("leaf");

  private final FeatureSchema schema;
  private int nodes;

  ModelParser(FeatureSchema schema) {
    this.schema = schema;
  }

  /// The model; null when it has a problem, which is reported.
  @Nullable TreeModel parse(At at, BiConsumer<At, String> problems) {
    try {
      return model(at);
    } catch (Wrong e) {
      problems.accept(e.at, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private static final class Wrong extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient At at;

    Wrong(At at, String message) {
      super(message);
      this.at = at;
    }
  }

  private TreeModel model(At at) throws Wrong {
    Map<?, ?> members = object(at, MODEL);
    At trees = (At) members.get("trees");
    if (!(members.get("name") instanceof At name) || !(name.value() instanceof String text)) {
      throw new Wrong(at, "The model has a name.");
    }
    if (trees == null || !(trees.value() instanceof List<?> items)) {
      throw new Wrong(at, "The model has a list of trees.");
    }
    List<TreeModel.Node> parsed = new ArrayList<>();
    for (Object item : items) {
      parsed.add(node((At) item, 1));
    }
    return new TreeModel(text, number(at, members, "base"), number(at, members, "scale"), parsed);
  }

  private TreeModel.Node node(At at, int depth) throws Wrong {
    nodes++;
    if (nodes > MOST_NODES) {
      throw new Wrong(at, "The model has more than " + MOST_NODES + " nodes.");
    }
    if (depth > DEEPEST) {
      throw new Wrong(at, "A tree has more than " + DEEPEST + " levels.");
    }
    Map<?, ?> any = at.object();
    if (any != null && any.containsKey("leaf")) {
      return new TreeModel.Node.Leaf(number(at, object(at, LEAF), "leaf"));
    }
    Map<?, ?> members = object(at, SPLIT);
    At yes = (At) members.get("yes");
    At no = (At) members.get("no");
    if (yes == null || no == null) {
      throw new Wrong(at, "A node has yes and no.");
    }
    return new TreeModel.Node.Split(
        feature(at, members),
        number(at, members, "below"),
        node(yes, depth + 1),
        node(no, depth + 1));
  }

  private Feature feature(At at, Map<?, ?> members) throws Wrong {
    At name = (At) members.get("feature");
    if (name == null || !(name.value() instanceof String text)) {
      throw new Wrong(at, "A node has the name of a feature.");
    }
    Feature feature = schema.find(text);
    if (feature == null) {
      throw new Wrong(name, "There is no feature " + text + " in schema " + schema.version() + ".");
    }
    if (feature.type() == Feature.Type.STRING) {
      throw new Wrong(name, text + " is a text; a tree compares numbers.");
    }
    return feature;
  }

  private static double number(At at, Map<?, ?> members, String name) throws Wrong {
    At value = (At) members.get(name);
    if (value != null
        && value.value() instanceof Number number
        && Double.isFinite(number.doubleValue())) {
      return number.doubleValue();
    }
    throw new Wrong(value == null ? at : value, name + " is a number.");
  }

  private static Map<?, ?> object(At at, Set<String> known) throws Wrong {
    Map<?, ?> members = at.object();
    if (members == null) {
      throw new Wrong(at, "An object is expected.");
    }
    for (Map.Entry<?, ?> member : members.entrySet()) {
      if (!known.contains(member.getKey())) {
        throw new Wrong((At) member.getValue(), "Unknown member " + member.getKey() + ".");
      }
    }
    return members;
  }
}
