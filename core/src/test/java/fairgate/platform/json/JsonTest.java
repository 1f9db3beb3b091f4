package fairgate.platform.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.platform.json.JsonSyntaxException.Problem;
import java.math.BigInteger;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void everyKindOfValueIsRead() {
    JsonObject json =
        Json.parseObject(
            " {\"s\":\"x\",\"i\":7,\"big\":99999999999999999999,\"d\":1.5,\"t\":true,\"n\":null,"
                + "\"o\":{\"a\":1},\"l\":[1,[\"y\"]]} ");
    assertThat(json.get("s")).isEqualTo("x");
    assertThat(json.get("i")).isEqualTo(7L);
    assertThat(json.get("big")).isEqualTo(new BigInteger("99999999999999999999"));
    assertThat(json.get("d")).isEqualTo(1.5);
    assertThat(json.get("t")).isEqualTo(true);
    assertThat(json.get("n")).isNull();
    assertThat(json.has("n")).isTrue();
    assertThat(json.has("m")).isFalse();
    assertThat(json.get("o")).isInstanceOf(JsonObject.class);
    assertThat(json.get("l")).isEqualTo(List.of(1L, List.of("y")));
    assertThat(json.names()).containsExactly("s", "i", "big", "d", "t", "n", "o", "l");
  }

  @Test
  void manyFieldsAreFoundAndDuplicatesRefused() {
    StringBuilder json = new StringBuilder("{");
    for (int i = 0; i < 2000; i++) {
      json.append("\"f").append(i).append("\":").append(i).append(',');
    }
    JsonObject read = Json.parseObject(json + "\"last\":1}");
    assertThat(read.size()).isEqualTo(2001);
    assertThat(read.get("f0")).isEqualTo(0L);
    assertThat(read.get("f1999")).isEqualTo(1999L);
    assertThatThrownBy(() -> Json.parseObject(json + "\"f1500\":1}"))
        .isInstanceOfSatisfying(
            JsonSyntaxException.class,
            e -> assertThat(e.problem()).isEqualTo(Problem.DUPLICATE_FIELD));
  }

  @Test
  void moreThanThirtyTwoLevelsAreRefused() {
    assertThat(Json.parseObject("{\"a\":" + "[".repeat(31) + "]".repeat(31) + "}").size())
        .isEqualTo(1);
    assertThatThrownBy(() -> Json.parseObject("{\"a\":" + "[".repeat(32) + "]".repeat(32) + "}"))
        .isInstanceOfSatisfying(
            JsonSyntaxException.class, e -> assertThat(e.problem()).isEqualTo(Problem.TOO_DEEP));
  }

  @Property(tries = 3000)
  void anyBytesAreParsedOrRefused(@ForAll @Size(max = 100) byte[] bytes) {
    try {
      assertThat(Json.parseObject(bytes).size()).isNotNegative();
    } catch (JsonSyntaxException e) {
      assertThat(e.problem()).isNotNull();
    }
  }
}
