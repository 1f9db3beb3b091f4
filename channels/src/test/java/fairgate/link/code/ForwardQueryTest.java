package fairgate.link.code;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ForwardQueryTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "UTM https://a.example/ utm_source=line https://a.example/?utm_source=line",
        "UTM https://a.example/?x=1#top utm_source=line&y=2 https://a.example/?x=1&utm_source=line#top",
        "UTM https://a.example/?utm_source=mail utm_source=line&utm_term=b https://a.example/?utm_source=mail&utm_term=b",
        "UTM https://a.example/?utm%5Fsource=mail utm_source=line https://a.example/?utm%5Fsource=mail",
        "UTM https://a.example/ UTM_Source=%E9%9E%8B https://a.example/?UTM_Source=%E9%9E%8B",
        "UTM https://a.example/ lang=zh&fbclid=1 https://a.example/",
        "ALL https://a.example/ lang=zh&&flag&x=1&x=2 https://a.example/?lang=zh&flag&x=1&x=2",
        "ALL https://a.example/?lang=en lang=zh&b=1 https://a.example/?lang=en&b=1",
        "ALL https://a.example/? follow&b={1} https://a.example/?b=%7B1%7D",
        "ALL https://a.example/?a=%zz b=1 https://a.example/?a=%zz&b=1",
        "NONE https://a.example/ utm_source=line https://a.example/"
      })
  void parametersOfTheShortAddressAreAddedToTheTarget(
      ForwardQuery forward, String target, String query, String expected) {
    assertThat(forward.add(target, query)).isEqualTo(expected);
  }

  @Test
  void aTargetThatWouldBeTooLongStaysAsItIs() {
    String long8 = "utm_source=" + "a".repeat(8_000);
    assertThat(ForwardQuery.UTM.add("https://a.example/", long8)).isEqualTo("https://a.example/");
  }

  @Test
  void theChoiceIsReadFromItsText() {
    for (ForwardQuery each : ForwardQuery.values()) {
      assertThat(ForwardQuery.of(each.text())).contains(each);
    }
    assertThat(ForwardQuery.of("some")).isEmpty();
  }
}
