package fairgate.platform.json;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A JSON writer into UTF-8 bytes: `JsonText.object().put("a", 1).bytes()`.
///
/// Names are written in the given order and not checked for duplicates. Strings are escaped;
/// unpaired surrogates become U+FFFD. Not thread-safe.
public final class JsonText {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

  private final byte end;
  private byte[] bytes = new byte[256];
  private int length;
  private boolean empty = true;

  private JsonText(char begin, char end) {
    this.end = (byte) end;
    bytes[length++] = (byte) begin;
  }

  public static JsonText object() {
    return new JsonText('{', '}');
  }

  public static JsonText array() {
    return new JsonText('[', ']');
  }

  @CanIgnoreReturnValue
  public JsonText put(String name, @Nullable String value) {
    name(name);
    text(value);
    return this;
  }

  @CanIgnoreReturnValue
  public JsonText put(String name, long value) {
    name(name);
    number(value);
    return this;
  }

  @CanIgnoreReturnValue
  public JsonText put(String name, boolean value) {
    name(name);
    raw(value ? TRUE : FALSE);
    return this;
  }

  @CanIgnoreReturnValue
  public JsonText put(String name, JsonText value) {
    name(name);
    nested(value);
    return this;
  }

  /// Adds a string, number, boolean, null, [JsonText], map with string keys, or iterable of these.
  /// Other objects are written as the string of `toString`.
  @CanIgnoreReturnValue
  public JsonText putAny(String name, @Nullable Object value) {
    name(name);
    any(value);
    return this;
  }

  /// Adds a member whose value is already JSON.
  @CanIgnoreReturnValue
  public JsonText putRaw(String name, String json) {
    name(name);
    raw(json.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /// Adds members in the form of [#inside]; may be empty.
  @CanIgnoreReturnValue
  public JsonText putMembers(byte[] members) {
    if (members.length > 0) {
      separate();
      raw(members);
    }
    return this;
  }

  @CanIgnoreReturnValue
  public JsonText add(@Nullable String value) {
    separate();
    text(value);
    return this;
  }

  @CanIgnoreReturnValue
  public JsonText add(long value) {
    separate();
    number(value);
    return this;
  }

  @CanIgnoreReturnValue
  public JsonText add(JsonText value) {
    separate();
    nested(value);
    return this;
  }

  /// Adds a value like [#putAny] to an array.
  @CanIgnoreReturnValue
  public JsonText addAny(@Nullable Object value) {
    separate();
    any(value);
    return this;
  }

  /// The complete JSON. The writer may be used further; returned arrays do not change.
  public byte[] bytes() {
    byte[] all = Arrays.copyOf(bytes, length + 1);
    all[length] = end;
    return all;
  }

  /// The content so far, without the outer brackets.
  public byte[] inside() {
    return Arrays.copyOfRange(bytes, 1, length);
  }

  /// The complete JSON as text.
  @Override
  public String toString() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  private void name(String name) {
    separate();
    text(name);
    room(1);
    bytes[length++] = ':';
  }

  private void separate() {
    if (empty) {
      empty = false;
    } else {
      room(1);
      bytes[length++] = ',';
    }
  }

  private void nested(JsonText value) {
    room(value.length + 1);
    System.arraycopy(value.bytes, 0, bytes, length, value.length);
    length += value.length;
    bytes[length++] = value.end;
  }

  private void any(@Nullable Object value) {
    switch (value) {
      case null -> raw(NULL);
      case Boolean b -> raw(b ? TRUE : FALSE);
      case Integer n -> number(n);
      case Long n -> number(n);
      case Double d when !Double.isFinite(d) -> raw(NULL);
      case Float f when !Float.isFinite(f) -> raw(NULL);
      case Number n -> raw(n.toString().getBytes(StandardCharsets.US_ASCII));
      case JsonText json -> nested(json);
      case Map<?, ?> map -> {
        JsonText object = object();
        map.forEach((key, item) -> object.putAny(String.valueOf(key), item));
        nested(object);
      }
      case Iterable<?> items -> {
        JsonText array = array();
        items.forEach(array::addAny);
        nested(array);
      }
      default -> text(value.toString());
    }
  }

  private void text(@Nullable String value) {
    if (value == null) {
      raw(NULL);
      return;
    }
    int chars = value.length();
    room(chars + 2);
    bytes[length++] = '"';
    int i = 0;
    for (; i < chars; i++) {
      char c = value.charAt(i);
      if (c < ' ' || c >= 0x7f || c == '"' || c == '\\') {
        break;
      }
      bytes[length++] = (byte) c;
    }
    if (i < chars) {
      slowly(value, i);
    }
    room(1);
    bytes[length++] = '"';
  }

  private void slowly(String value, int from) {
    int chars = value.length();
    room((chars - from) * 6 + 1);
    for (int i = from; i < chars; i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        bytes[length++] = '\\';
        bytes[length++] = (byte) c;
      } else if (c < ' ' || c == 0x7f) {
        control(c);
      } else if (c < 0x7f) {
        bytes[length++] = (byte) c;
      } else if (Character.isSurrogate(c)) {
        i += surrogate(value, i);
      } else {
        unicode(c);
      }
    }
  }

  private void control(char c) {
    bytes[length++] = '\\';
    switch (c) {
      case '\n' -> bytes[length++] = 'n';
      case '\r' -> bytes[length++] = 'r';
      case '\t' -> bytes[length++] = 't';
      default -> {
        bytes[length++] = 'u';
        bytes[length++] = '0';
        bytes[length++] = '0';
        bytes[length++] = HEX[c >> 4];
        bytes[length++] = HEX[c & 15];
      }
    }
  }

  private int surrogate(String value, int at) {
    int point = value.codePointAt(at);
    if (point < 0x10000) {
      unicode('\ufffd');
      return 0;
    }
    bytes[length++] = (byte) (0xf0 | (point >> 18));
    bytes[length++] = (byte) (0x80 | ((point >> 12) & 0x3f));
    bytes[length++] = (byte) (0x80 | ((point >> 6) & 0x3f));
    bytes[length++] = (byte) (0x80 | (point & 0x3f));
    return 1;
  }

  private void unicode(char c) {
    if (c < 0x800) {
      bytes[length++] = (byte) (0xc0 | (c >> 6));
    } else {
      bytes[length++] = (byte) (0xe0 | (c >> 12));
      bytes[length++] = (byte) (0x80 | ((c >> 6) & 0x3f));
    }
    bytes[length++] = (byte) (0x80 | (c & 0x3f));
  }

  private void number(long value) {
    if (value == Long.MIN_VALUE) {
      raw(Long.toString(value).getBytes(StandardCharsets.US_ASCII));
      return;
    }
    room(20);
    long rest = Math.abs(value);
    int digits = 1;
    for (long bound = 10; digits < 19 && rest >= bound; bound *= 10) {
      digits++;
    }
    if (value < 0) {
      bytes[length++] = '-';
    }
    for (int at = length + digits - 1; at >= length; at--) {
      bytes[at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }

  private void raw(byte[] ascii) {
    room(ascii.length);
    System.arraycopy(ascii, 0, bytes, length, ascii.length);
    length += ascii.length;
  }

  private void room(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }
}
