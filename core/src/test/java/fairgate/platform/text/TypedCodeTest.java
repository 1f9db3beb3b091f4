package fairgate.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypedCodeTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "123456",
        " 123456 ",
        "123 456\n",
        "123-456",
        "１２３４５６",
        "１２３　４５６",
        "123－456",
        "123ー456",
        "123ｰ456",
        "123\u2212456",
        "123\u2014456",
        "1\u00a02\u200b3\u2060456\ufeff",
        "123456。",
        "【123 456】"
      })
  void aOneTimeCodeIsItsDigits(String typed) {
    assertThat(TypedCode.oneTime(typed)).isEqualTo("123456");
  }

  @Test
  void lettersBecomeCapitalsAndWordsKeepTheirLongVowels() {
    assertThat(TypedCode.plain("mhydet－c9gqhgーx4cd")).isEqualTo("MHYDETC9GQHGX4CD");
    assertThat(TypedCode.plain("カード-12")).isEqualTo("カード12");
    assertThat(TypedCode.plain("abc_1/2")).isEqualTo("ABC_1/2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"AB-12", "「AB-12」", "AB-12。", "(AB-12) ", "“AB-12”！", "**AB-12**"})
  void marksOfASentenceAroundACodeAreNoPartOfIt(String pasted) {
    assertThat(TypedCode.withoutMarks(pasted)).isEqualTo("AB-12");
  }
}
