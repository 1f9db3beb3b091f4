package fairgate.platform.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JsonTextTest {
  private static final ObjectMapper JACKSON = new ObjectMapper();

  @Test
  void valuesAreWrittenInTheirOrder() {
    assertThat(
            JsonText.object()
                .put("a", "x")
                .put("b", 1)
                .put("c", true)
                .put("d", (String) null)
                .put("e", JsonText.array().add(1).add("y").add(JsonText.object()))
                .putRaw("f", "[1]")
                .putAny("g", Map.of("h", List.of(1, 2.5, "z")))
                .putAny("i", Double.NaN)
                .toString())
        .isEqualTo(
            "{\"a\":\"x\",\"b\":1,\"c\":true,\"d\":null,\"e\":[1,\"y\",{}],\"f\":[1],"
                + "\"g\":{\"h\":[1,2.5,\"z\"]},\"i\":null}");
    assertThat(JsonText.object().toString()).isEqualTo("{}");
    assertThat(JsonText.array().add(Long.MIN_VALUE).add(0).add(Long.MAX_VALUE).toString())
        .isEqualTo("[-9223372036854775808,0,9223372036854775807]");
  }

  @Test
  void unpairedSurrogatesAreReplaced() {
    assertThat(JsonText.array().add("a\ud800b").add("\udc00").add("\ud83d\ude00").toString())
        .isEqualTo("[\"a\ufffdb\",\"\ufffd\",\"\ud83d\ude00\"]");
  }

  @Property(tries = 2000)
  void jacksonReadsTheOutput(
      @ForAll String name, @ForAll String value, @ForAll long number, @ForAll boolean flag)
      throws IOException {
    byte[] json =
        JsonText.object().put(name, value).put(name + "1", number).put(name + "2", flag).bytes();
    JsonNode read = JACKSON.readTree(json);
    assertThat(read.path(whole(name)).textValue()).isEqualTo(whole(value));
    assertThat(read.path(whole(name + "1")).longValue()).isEqualTo(number);
    assertThat(read.path(whole(name + "2")).booleanValue()).isEqualTo(flag);
  }

  @Property(tries = 1000)
  void ourParserReadsJacksonsOutput(@ForAll List<Long> numbers, @ForAll boolean flag)
      throws JsonProcessingException {
    String json =
        JACKSON.writeValueAsString(Map.of("numbers", numbers, "flag", flag, "text", "鞋\"\\\n"));
    JsonObject read = Json.parseObject(json);
    assertThat(read.get("numbers")).isEqualTo(numbers);
    assertThat(read.get("flag")).isEqualTo(flag);
    assertThat(read.get("text")).isEqualTo("鞋\"\\\n");
  }

  @Property(tries = 1000)
  void everyNumberIsWrittenAsJavaPrintsIt(@ForAll long[] numbers) {
    JsonText array = JsonText.array();
    Arrays.stream(numbers).forEach(array::add);
    assertThat(array.toString()).isEqualTo(Arrays.toString(numbers).replace(" ", ""));
  }

  /// Unpaired surrogates become U+FFFD.
  private static String whole(String text) {
    StringBuilder whole = new StringBuilder();
    text.codePoints()
        .map(c -> c >= 0xd800 && c <= 0xdfff ? 0xfffd : c)
        .forEach(whole::appendCodePoint);
    return whole.toString();
  }
}
