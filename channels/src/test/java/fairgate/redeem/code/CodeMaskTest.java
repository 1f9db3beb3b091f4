package fairgate.redeem.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import fairgate.redeem.RedeemConfig;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CodeMaskTest {
  private static final CodeMask USUAL = CodeMask.of("MHYDET-XXXXXX-XXXX");

  @Test
  void codesLookLikeTheMask() {
    Set<String> codes = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      String code = USUAL.generate();
      assertThat(code).matches("MHYDET-[2-9B-DF-HJKMNP-TV-Z]{6}-[2-9B-DF-HJKMNP-TV-Z]{4}");
      assertThat(CodeAlphabet.isRight(USUAL.symbolsOf(code).orElseThrow())).isTrue();
      codes.add(code);
    }
    assertThat(codes).hasSize(1000);
  }

  @Test
  void codesOfEarlierVersionsWithVowelsStayRight() {
    String drawn = "AEUC9GQHG";
    String code = "MHYDET-" + drawn.substring(0, 6) + "-" + drawn.substring(6);
    assertThat(USUAL.symbolsOf(code + CodeAlphabet.check(drawn)))
        .hasValueSatisfying(symbols -> assertThat(CodeAlphabet.isRight(symbols)).isTrue());
  }

  @Test
  void guessingHasAsManyBitsAsTheRandomSymbols() {
    assertThat(USUAL.bits()).isCloseTo(43.12, within(0.01));
    assertThat(CodeMask.of("XXXX-XXXX-XXXX-XXXX").bits()).isCloseTo(71.96, within(0.05));
  }

  @Test
  void aPrefixMayHoldAnX() {
    CodeMask mask = USUAL.withPrefix("XMAS");
    assertThat(mask).hasToString("XMAS-XXXXXX-XXXX");
    assertThat(mask.generate()).startsWith("XMAS-");
    assertThat(USUAL.withPrefix("").generate()).hasSize(11);
  }

  @Test
  void separatorsAndCaseDoNotMatter() {
    String code = USUAL.generate();
    String symbols = USUAL.symbolsOf(code).orElseThrow();
    assertThat(USUAL.symbolsOf(" " + code.toLowerCase(java.util.Locale.ROOT).replace("-", " ")))
        .contains(symbols);
    for (String dash : List.of("－", "ー", "ｰ", "—", "\u2212", "")) {
      assertThat(USUAL.symbolsOf(code.replace("-", dash))).as(dash).contains(symbols);
    }
    assertThat(USUAL.symbolsOf("OTHER" + symbols)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "MHYDET", "MHYDET-", "A-XXXXXX", "XXXXXX-YXX", "mhydet-XXXXXXXX", "-XXXXXXXX"})
  void masksThatCannotBeAreRefused(String mask) {
    assertThatThrownBy(() -> CodeMask.of(mask)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property(tries = 300)
  void everyWrongSymbolIsFound(
      @ForAll @StringLength(min = 1, max = 29) @Chars({'2', '3', 'A', 'K', 'Z', 'X', 'M', 'P'})
          String drawn,
      @ForAll @IntRange(max = 29) int where,
      @ForAll @IntRange(min = 1, max = 30) int by) {
    StringBuilder code = new StringBuilder(drawn).append(CodeAlphabet.check(drawn));
    assertThat(CodeAlphabet.isRight(code)).isTrue();
    int at = where % code.length();
    int value = (CodeAlphabet.SYMBOLS.indexOf(code.charAt(at)) + by) % 31;
    code.setCharAt(at, CodeAlphabet.SYMBOLS.charAt(value));
    assertThat(CodeAlphabet.isRight(code)).isFalse();
  }

  @Property(tries = 300)
  void everyExchangeOfTwoSymbolsIsFound(
      @ForAll @StringLength(min = 1, max = 29) @CharRange(from = 'P', to = 'Z') String drawn,
      @ForAll @IntRange(max = 29) int one,
      @ForAll @IntRange(max = 29) int other) {
    StringBuilder code = new StringBuilder(drawn).append(CodeAlphabet.check(drawn));
    int i = one % code.length();
    int j = other % code.length();
    char kept = code.charAt(i);
    code.setCharAt(i, code.charAt(j));
    code.setCharAt(j, kept);
    assertThat(CodeAlphabet.isRight(code)).isEqualTo(code.charAt(i) == code.charAt(j));
  }

  /// As `docs/redeem.md` says.
  @Test
  void theUsualMaskIsWeakFromNineLiveCodesOn() {
    CodeMask usual = RedeemConfig.defaults().mask();
    assertThat(usual.bits()).isCloseTo(43.1, within(0.05));
    assertThat(space(usual, 8).isWeak()).isFalse();
    assertThat(space(usual, 9).isWeak()).isTrue();
  }

  private static CodeStrength.CodeSpace space(CodeMask mask, long live) {
    return new CodeStrength.CodeSpace(
        mask.toString(), List.of(), live, CodeStrength.bits(mask, live));
  }

  @Test
  void symbolsThatLookAlikeAreNone() {
    assertThat(CodeAlphabet.SYMBOLS).hasSize(31).doesNotContain("0", "O", "1", "I", "L");
    assertThat(CodeAlphabet.isRight("0O1IL")).isFalse();
  }
}
