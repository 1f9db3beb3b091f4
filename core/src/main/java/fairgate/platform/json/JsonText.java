package fairgate.platform.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Builds JSON, which Jackson writes: `JsonText.object().put("a", 1).bytes()`.
///
/// Members keep the order of their first `put`; a repeated name replaces the value. Unpaired
/// surrogates become U+FFFD, and numbers that are not finite null. Not thread-safe.
public final class JsonText {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final ObjectWriter WRITER =
      new JsonMapper().writer().with(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8);

  private final ContainerNode<?> node;

  private JsonText(ContainerNode<?> node) {
    this.node = node;
  }

  public static JsonText object() {
    return new JsonText(NODES.objectNode());
  }

  public static JsonText array() {
    return new JsonText(NODES.arrayNode());
  }

  @CanIgnoreReturnValue
  public JsonText put(String name, @Nullable String value) {
    return set(name, text(value));
  }

  @CanIgnoreReturnValue
  public JsonText put(String name, long value) {
    return set(name, NODES.numberNode(value));
  }

  @CanIgnoreReturnValue
  public JsonText put(String name, boolean value) {
    return set(name, NODES.booleanNode(value));
  }

  @CanIgnoreReturnValue
  public JsonText put(String name, JsonText value) {
    return set(name, value.node);
  }

  /// Adds a string, number, boolean, null, [JsonText], map with string keys, or iterable of these.
  /// Other objects are written as the string of `toString`.
  @CanIgnoreReturnValue
  public JsonText putAny(String name, @Nullable Object value) {
    return set(name, any(value));
  }

  /// Adds a member whose value is already JSON.
  @CanIgnoreReturnValue
  public JsonText putRaw(String name, String json) {
    return set(name, NODES.rawValueNode(new RawValue(json)));
  }

  @CanIgnoreReturnValue
  public JsonText add(@Nullable String value) {
    return append(text(value));
  }

  @CanIgnoreReturnValue
  public JsonText add(long value) {
    return append(NODES.numberNode(value));
  }

  @CanIgnoreReturnValue
  public JsonText add(JsonText value) {
    return append(value.node);
  }

  /// Adds a value like [#putAny] to an array.
  @CanIgnoreReturnValue
  public JsonText addAny(@Nullable Object value) {
    return append(any(value));
  }

  /// The complete JSON in UTF-8. The builder may be used further.
  public byte[] bytes() {
    try {
      return WRITER.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("JSON cannot be written", e);
    }
  }

  /// The content so far, without the outer brackets.
  public byte[] inside() {
    byte[] all = bytes();
    return Arrays.copyOfRange(all, 1, all.length - 1);
  }

  @Override
  public String toString() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  private JsonText set(String name, JsonNode value) {
    ((ObjectNode) node).set(wellFormed(name), value);
    return this;
  }

  private JsonText append(JsonNode value) {
    var _ = ((ArrayNode) node).add(value);
    return this;
  }

  private static JsonNode any(@Nullable Object value) {
    return switch (value) {
      case null -> NODES.nullNode();
      case JsonText json -> json.node;
      case Boolean b -> NODES.booleanNode(b);
      case Integer n -> NODES.numberNode(n);
      case Long n -> NODES.numberNode(n);
      case Double d when !Double.isFinite(d) -> NODES.nullNode();
      case Float f when !Float.isFinite(f) -> NODES.nullNode();
      case Number n -> NODES.rawValueNode(new RawValue(n.toString()));
      case Map<?, ?> map -> {
        JsonText object = object();
        map.forEach((key, item) -> object.putAny(String.valueOf(key), item));
        yield object.node;
      }
      case Iterable<?> items -> {
        JsonText array = array();
        items.forEach(array::addAny);
        yield array.node;
      }
      default -> text(value.toString());
    };
  }

  private static JsonNode text(@Nullable String value) {
    return value == null ? NODES.nullNode() : NODES.textNode(wellFormed(value));
  }

  /// Jackson refuses unpaired surrogates, which clients can send.
  private static String wellFormed(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        // The encoder of UTF-16 replaces each by U+FFFD.
        return new String(text.getBytes(StandardCharsets.UTF_16BE), StandardCharsets.UTF_16BE);
      }
    }
    return text;
  }
}
