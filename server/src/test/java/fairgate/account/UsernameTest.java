package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UsernameTest {
  @ParameterizedTest
  @ValueSource(strings = {"ming", "王小明", "a_b-c.d", "Zoë99", "ผู้ใช้"})
  void lettersAndDigitsOfAnyWriting(String text) {
    assertThat(Username.of(text)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ab",
        "_ming",
        "ming.",
        "ming ming",
        "a@b",
        "ming\u202e",
        "mi\u200bng",
        "<b>",
        "🐢🐢🐢",
        "a/b",
        "ming\n"
      })
  void whatIsNoName(String text) {
    assertThat(Username.of(text)).isEmpty();
  }

  @Test
  void namesThatReadTheSameAreOne() {
    assertThat(Username.of("Ming").orElseThrow().key())
        .isEqualTo(Username.of("ＭＩＮＧ").orElseThrow().key())
        .isEqualTo("ming");
    assertThat(Username.of("x".repeat(32))).isPresent();
    assertThat(Username.of("x".repeat(33))).isEmpty();
    assertThat(Username.of("x".repeat(5_000))).isEmpty();
  }
}
