package fairgate.gate.risk;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads JSON into values that know their place in the text.
final class BundleJson {
  private static final int DEPTH = 64;
  private static final int NUMBER_LENGTH = 40;

  /// Names of the parser's settings in its messages, and positions, which the problem has itself.
  private static final Pattern OF_JACKSON =
      Pattern.compile(" ?\\(start marker at .*\\)|, from `[^`]*`");

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEPTH)
                  .maxNumberLength(NUMBER_LENGTH)
                  .build())
          .build();

  private BundleJson() {}

  /// A value and its place.
  ///
  /// @param value a Map of names to At, a List of At, a String, Long, Double, Boolean, or null
  /// @param offset of its first character in the text
  record At(@Nullable Object value, int line, int column, int offset) {
    @Nullable Map<?, ?> object() {
      return value instanceof Map<?, ?> map ? map : null;
    }
  }

  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;
    private final int line;
    private final int column;

    Malformed(int line, int column, String message) {
      super(message);
      this.line = line;
      this.column = column;
    }

    RiskBundle.Problem problem() {
      return new RiskBundle.Problem(line, column, null, String.valueOf(getMessage()));
    }
  }

  static At read(String json) throws Malformed {
    try (JsonParser parser = FACTORY.createParser(json)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new Malformed(1, 1, "The document is empty.");
      }
      At root = value(parser, first);
      if (parser.nextToken() != null) {
        JsonLocation after = parser.currentTokenLocation();
        throw new Malformed(after.getLineNr(), after.getColumnNr(), "Text after the document.");
      }
      return root;
    } catch (JsonProcessingException e) {
      JsonLocation at = e.getLocation();
      throw new Malformed(
          at == null ? 1 : at.getLineNr(),
          at == null ? 1 : at.getColumnNr(),
          OF_JACKSON.matcher(e.getOriginalMessage()).replaceAll(""));
    } catch (IOException e) {
      throw new Malformed(1, 1, String.valueOf(e.getMessage()));
    }
  }

  private static At value(JsonParser parser, JsonToken token) throws IOException {
    JsonLocation at = parser.currentTokenLocation();
    Object value =
        switch (token) {
          case START_OBJECT -> object(parser);
          case START_ARRAY -> array(parser);
          case VALUE_STRING -> parser.getText();
          case VALUE_NUMBER_INT -> integer(parser);
          case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
          case VALUE_TRUE -> true;
          case VALUE_FALSE -> false;
          default -> null;
        };
    return new At(value, at.getLineNr(), at.getColumnNr(), (int) at.getCharOffset());
  }

  private static Map<String, At> object(JsonParser parser) throws IOException {
    Map<String, At> members = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      members.put(name, value(parser, parser.nextToken()));
    }
    return members;
  }

  private static List<At> array(JsonParser parser) throws IOException {
    List<At> items = new ArrayList<>();
    for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
      items.add(value(parser, t));
    }
    return items;
  }

  private static Number integer(JsonParser parser) throws IOException {
    return switch (parser.getNumberType()) {
      case INT, LONG -> parser.getLongValue();
      case BIG_INTEGER, FLOAT, DOUBLE, BIG_DECIMAL -> parser.getDoubleValue();
    };
  }

  /// The offset in the document of a character of a string.
  ///
  /// @param start the offset of the string's opening quote
  /// @param characters the number of characters of the string before it
  static int offsetInString(String json, int start, int characters) {
    int at = start + 1;
    for (int i = 0; i < characters && at < json.length() - 1; i++) {
      if (json.charAt(at) != '\\') {
        at++;
      } else {
        at += json.charAt(at + 1) == 'u' ? 6 : 2;
      }
    }
    return Math.min(at, json.length());
  }
}
