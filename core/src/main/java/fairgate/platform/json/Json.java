package fairgate.platform.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import fairgate.platform.json.JsonSyntaxException.Problem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A strict parser of JSON objects. It refuses input that two parsers could read differently: UTF-8
/// only, no byte order mark, no duplicate fields, nothing after the object, at most 32 levels,
/// numbers of at most 40 characters, and no U+0000 or unpaired surrogates in strings.
public final class Json {
  private static final int DEPTH = 32;
  private static final int NUMBER_LENGTH = 40;

  /// Field names are not interned, because callers could fill the table.
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEPTH)
                  .maxNumberLength(NUMBER_LENGTH)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private Json() {}

  /// Parses one object. The caller limits its length. Throws JsonSyntaxException.
  public static JsonObject parseObject(byte[] utf8) {
    return parseObject(decode(utf8));
  }

  /// Parses one object. Throws JsonSyntaxException.
  public static JsonObject parseObject(String json) {
    try (JsonParser parser = FACTORY.createParser(json)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new JsonSyntaxException(Problem.MALFORMED);
      }
      if (first != JsonToken.START_OBJECT) {
        throw new JsonSyntaxException(Problem.NOT_OBJECT);
      }
      JsonObject object = object(parser);
      if (parser.nextToken() != null) {
        throw new JsonSyntaxException(Problem.MALFORMED);
      }
      return object;
    } catch (StreamConstraintsException e) {
      boolean deep = String.valueOf(e.getMessage()).contains("nesting");
      throw new JsonSyntaxException(deep ? Problem.TOO_DEEP : Problem.NUMBER_TOO_LONG);
    } catch (IOException e) {
      throw new JsonSyntaxException(Problem.MALFORMED);
    }
  }

  private static JsonObject object(JsonParser parser) throws IOException {
    JsonObject object = new JsonObject();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = checked(parser.currentName());
      if (!object.add(name, value(parser, parser.nextToken()))) {
        throw new JsonSyntaxException(Problem.DUPLICATE_FIELD);
      }
    }
    return object;
  }

  private static List<@Nullable Object> array(JsonParser parser) throws IOException {
    List<@Nullable Object> items = new ArrayList<>();
    for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
      items.add(value(parser, t));
    }
    return Collections.unmodifiableList(items);
  }

  private static @Nullable Object value(JsonParser parser, @Nullable JsonToken token)
      throws IOException {
    return switch (token) {
      case VALUE_STRING -> checked(parser.getText());
      case VALUE_NUMBER_INT -> integer(parser);
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case null -> throw new JsonSyntaxException(Problem.MALFORMED);
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
          throw new JsonSyntaxException(Problem.MALFORMED);
    };
  }

  private static Number integer(JsonParser parser) throws IOException {
    return switch (parser.getNumberType()) {
      case INT, LONG -> parser.getLongValue();
      case BIG_INTEGER, FLOAT, DOUBLE, BIG_DECIMAL -> parser.getBigIntegerValue();
    };
  }

  private static String checked(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        throw new JsonSyntaxException(Problem.BAD_TEXT);
      }
      if (Character.isSurrogate(c)) {
        boolean pair =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!pair) {
          throw new JsonSyntaxException(Problem.BAD_TEXT);
        }
        i++;
      }
    }
    return text;
  }

  private static String decode(byte[] utf8) {
    for (byte b : utf8) {
      if (b < 0) {
        return decodeStrictly(utf8);
      }
    }
    return new String(utf8, StandardCharsets.ISO_8859_1);
  }

  private static String decodeStrictly(byte[] utf8) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw new JsonSyntaxException(Problem.NOT_UTF8);
    }
  }
}
