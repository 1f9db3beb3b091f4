package fairgate.link.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class LinkCodeTest {
  private static final String ALPHABET = "23456789abcdfghjkmnpqrstvwxyz";
  private final SecureRandom chance = new SecureRandom();

  @Property(tries = 300)
  void everyWrongCharacterIsNoticed(
      @ForAll @IntRange(max = 8) int at, @ForAll @IntRange(min = 1, max = 28) int by) {
    StringBuilder code = new StringBuilder(LinkCode.random(chance).value());
    int digit = ALPHABET.indexOf(code.charAt(at));
    code.setCharAt(at, ALPHABET.charAt((digit + by) % ALPHABET.length()));
    assertThat(LinkCode.read(code.toString())).isEmpty();
  }

  @Property(tries = 300)
  void everySwapOfTwoCharactersIsNoticed(
      @ForAll @IntRange(max = 8) int one, @ForAll @IntRange(max = 8) int other) {
    String code = LinkCode.random(chance).value();
    StringBuilder swapped = new StringBuilder(code);
    swapped.setCharAt(one, code.charAt(other));
    swapped.setCharAt(other, code.charAt(one));
    boolean same = swapped.toString().equals(code);
    assertThat(LinkCode.read(swapped.toString()).isPresent()).isEqualTo(same);
  }

  @Test
  void madeCodesAreReadInAnyCaseAndDiffer() {
    Set<String> all = new HashSet<>();
    for (int i = 0; i < 2_000; i++) {
      LinkCode code = LinkCode.random(chance);
      assertThat(code.value()).matches("[" + ALPHABET + "]{9}");
      assertThat(LinkCode.read(code.value().toUpperCase(Locale.ROOT))).contains(code);
      all.add(code.value());
    }
    assertThat(all).hasSize(2_000);
  }

  @Test
  void chosenCodesHaveTheirForm() {
    assertThat(LinkCode.isCustom("abc")).isTrue();
    assertThat(LinkCode.isCustom("Summer-2026_x")).isTrue();
    assertThat(LinkCode.isCustom("a".repeat(64))).isTrue();
    assertThat(LinkCode.isCustom("a".repeat(65))).isFalse();
    assertThat(LinkCode.isCustom("ab")).isFalse();
    assertThat(LinkCode.isCustom("-ab")).isFalse();
    assertThat(LinkCode.isCustom("a b")).isFalse();
    assertThat(LinkCode.isCustom("日本語")).isFalse();
    assertThat(LinkCode.read("Summer-2026_x")).contains(new LinkCode("summer-2026_x"));
    assertThat(LinkCode.read("ab")).isEmpty();
    assertThat(LinkCode.read("a.b.c")).isEmpty();
    assertThat(LinkCode.read("")).isEmpty();
  }
}
