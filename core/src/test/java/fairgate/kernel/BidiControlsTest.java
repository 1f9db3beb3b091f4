package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BidiControlsTest {
  @Test
  void theCharactersOfTheUnicodePropertyAreFound() {
    assertThat(
            IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
                .filter(point -> BidiControls.in(Character.toString(point)))
                .boxed())
        .containsExactly(
            0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068,
            0x2069);
    assertThat(BidiControls.in("evil\u202egnp.exe")).isTrue();
  }

  @Test
  void namesOfAllWritingsAreAllowed() {
    for (String name :
        new String[] {"", "夜貓演唱會", "\u05e9\u05dc\u05d5\u05dd", "👨\u200d👩\u200d👧", "O’Brien"}) {
      assertThat(BidiControls.in(name)).as(name).isFalse();
    }
  }
}
