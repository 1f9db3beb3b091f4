package fairgate.gate.signature;

import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A strict parser for the parts of Structured Fields (RFC 9651) that signatures need: dictionaries
/// of inner lists of plain strings with parameters, and dictionaries of byte sequences. A repeated
/// name is an error here; the RFC would take the last one.
final class FieldParser {
  private static final int LONGEST = 4096;
  private static final int MAX_MEMBERS = 4;
  private static final int MAX_ITEMS = 32;
  private static final int MAX_DIGITS = 15;

  private final String text;
  private int at;

  private FieldParser(String text) {
    if (text.length() > LONGEST) {
      throw new Malformed();
    }
    this.text = text;
  }

  static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Malformed() {
      super("malformed", null, false, false);
    }
  }

  /// An inner list: its strings, its parameters (texts, and integers as Long), and its original
  /// text.
  record InnerList(List<String> items, Map<String, Object> params, String written) {}

  /// A dictionary of inner lists. Throws Malformed.
  static Map<String, InnerList> innerLists(String text) {
    FieldParser parser = new FieldParser(text);
    Map<String, InnerList> members = new LinkedHashMap<>();
    parser.members(members, parser::innerList);
    return members;
  }

  /// A dictionary of byte sequences, without parameters. Throws Malformed.
  static Map<String, byte[]> bytes(String text) {
    FieldParser parser = new FieldParser(text);
    Map<String, byte[]> members = new LinkedHashMap<>();
    parser.members(members, parser::byteSequence);
    return members;
  }

  private interface Value<T> {
    T read();
  }

  private <T> void members(Map<String, T> members, Value<T> value) {
    skip(' ');
    while (true) {
      String name = name();
      expect('=');
      if (members.size() == MAX_MEMBERS || members.put(name, value.read()) != null) {
        throw new Malformed();
      }
      skip(' ');
      if (at == text.length()) {
        return;
      }
      expect(',');
      skip(' ');
    }
  }

  private InnerList innerList() {
    int from = at;
    List<String> items = new ArrayList<>();
    expect('(');
    skip(' ');
    while (peek() != ')') {
      if (items.size() == MAX_ITEMS) {
        throw new Malformed();
      }
      items.add(string());
      if (peek() != ')') {
        expect(' ');
        skip(' ');
      }
    }
    expect(')');
    return new InnerList(items, params(), text.substring(from, at));
  }

  private Map<String, Object> params() {
    Map<String, Object> params = new LinkedHashMap<>();
    while (at < text.length() && peek() == ';') {
      at++;
      skip(' ');
      String name = name();
      expect('=');
      if (params.put(name, peek() == '"' ? string() : (Object) integer()) != null) {
        throw new Malformed();
      }
    }
    return params;
  }

  private byte[] byteSequence() {
    expect(':');
    int end = text.indexOf(':', at);
    if (end < 0) {
      throw new Malformed();
    }
    try {
      byte[] bytes = Base64.getDecoder().decode(text.substring(at, end));
      at = end + 1;
      return bytes;
    } catch (IllegalArgumentException e) {
      throw new Malformed();
    }
  }

  private String name() {
    int from = at;
    while (at < text.length() && isNamePart(text.charAt(at))) {
      at++;
    }
    if (at == from) {
      throw new Malformed();
    }
    return text.substring(from, at);
  }

  private static boolean isNamePart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  }

  /// Without escapes: our names, ids and nonces need none.
  private String string() {
    expect('"');
    int from = at;
    while (peek() != '"') {
      char c = peek();
      if (c < ' ' || c > '~' || c == '\\') {
        throw new Malformed();
      }
      at++;
    }
    return text.substring(from, at++);
  }

  private long integer() {
    int from = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == from || at - from > MAX_DIGITS) {
      throw new Malformed();
    }
    return Long.parseLong(text.substring(from, at));
  }

  private char peek() {
    if (at == text.length()) {
      throw new Malformed();
    }
    return text.charAt(at);
  }

  private void expect(char c) {
    if (peek() != c) {
      throw new Malformed();
    }
    at++;
  }

  private void skip(char c) {
    while (at < text.length() && text.charAt(at) == c) {
      at++;
    }
  }
}
