package fairgate.platform.json;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A parsed JSON object with its fields in order. Read-only.
///
/// Values are `String`, `Long`, `BigInteger` (an integer beyond 64 bits), `Double` (a number with a
/// point or an exponent), `Boolean`, null, `JsonObject`, or a `List` of these. Up to 16 fields are
/// searched linearly, which is faster than hashing; more fields have an index, so that the cost of
/// many fields stays linear.
public final class JsonObject {
  private static final int MAX_LINEAR = 16;

  private String[] names = new String[4];
  private @Nullable Object[] values = new @Nullable Object[4];
  private int size;
  private @Nullable Map<String, Integer> index;

  JsonObject() {}

  /// The value of a field; null when it is null or absent (see [#has]).
  public @Nullable Object get(String name) {
    int at = find(name);
    return at < 0 ? null : values[at];
  }

  /// Whether the field is present, even as null.
  public boolean has(String name) {
    return find(name) >= 0;
  }

  /// The names of the fields in their order.
  public List<String> names() {
    return List.of(Arrays.copyOf(names, size));
  }

  public int size() {
    return size;
  }

  /// Adds a field; false when the name exists.
  boolean add(String name, @Nullable Object value) {
    if (find(name) >= 0) {
      return false;
    }
    if (size == names.length) {
      names = Arrays.copyOf(names, size * 2);
      values = Arrays.copyOf(values, size * 2);
    }
    names[size] = name;
    values[size] = value;
    size++;
    if (index != null) {
      index.put(name, size - 1);
    } else if (size == MAX_LINEAR) {
      index = indexed();
    }
    return true;
  }

  private Map<String, Integer> indexed() {
    Map<String, Integer> all = new HashMap<>();
    for (int i = 0; i < size; i++) {
      all.put(names[i], i);
    }
    return all;
  }

  private int find(String name) {
    if (index != null) {
      return index.getOrDefault(name, -1);
    }
    for (int i = 0; i < size; i++) {
      if (names[i].equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
